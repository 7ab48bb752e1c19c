"""An adaptor in Python: a folder of JSON files is the system of record, one file for each record.

It is configured by the environment or by adaptor.properties (ADAPTOR_UUID or adaptor.uuid, and so on). Replace
FolderHandlers by your system. It does not report files that you delete.
"""

import json
import os
import sys
from pathlib import Path
from urllib.parse import quote

from fds_bus import Adaptor, Handlers, Refused, Retry, merge, resolved, same, unreported, variables_in

REQUIRED = ("ADAPTOR_UUID", "CLIENT_ID", "CLIENT_SECRET", "MESSAGE_BUS_URL")


def read_settings(file="adaptor.properties"):
    """The environment wins over the properties file; `adaptor.uuid` there is ADAPTOR_UUID here.

    `${NAME}` in the file stands for a variable of the environment. Also returns the variables that hold the client secret.
    """
    settings = {}
    if Path(file).exists():
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            name, separator, value = line.partition("=")
            if separator and not line.lstrip().startswith(("#", "!")):
                settings[name.strip().upper().replace(".", "_")] = value.strip().replace("\\", "")
    secret_variables = {"CLIENT_SECRET", *variables_in(settings.get("CLIENT_SECRET", ""))}
    environment = {name: value for name, value in os.environ.items() if value}
    try:
        settings = resolved({name: value for name, value in settings.items() if name not in environment}, file)
    except ValueError as error:
        sys.exit(str(error))
    settings.update(environment)
    missing = [name for name in REQUIRED if name not in settings]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}")
    return settings, secret_variables


class FolderHandlers(Handlers):
    def __init__(self, folder):
        self.folder = Path(folder)
        self.versions = []
        self.adaptor = None

    def configure(self, start):
        if "domainVersions" in start:
            self.versions = start["domainVersions"]
        for version in self.versions:
            self.folder_of(version["domain"]).mkdir(parents=True, exist_ok=True)

    def folder_of(self, domain):
        return self.folder / quote(domain, safe="")

    def file_of(self, domain, key_values):
        return self.folder_of(domain) / f"{quote(json.dumps(key_values, ensure_ascii=False), safe='')}.json"

    def apply(self, event):
        folder = self.folder_of(event["domain"])
        if not folder.exists():
            raise Retry(f"the folder {folder} is away")
        file = self.file_of(event["domain"], event["keyValues"])
        try:
            return self.remove(file, event) if event["action"] == "DELETE" else self.write(file, event)
        except OSError as error:
            raise Refused(str(error), "The folder of records refuses the record") from error

    def write(self, file, event):
        """Writes the new properties, except those with a value that was not reported yet: they are kept, and reported next."""
        local = self.record_in(file)
        former, unseen = self.base_of(file, local) if local is not None else (None, None)
        values, kept, base = merge(former, local, event)  # null is a value
        record = {**(local or {}), **values}
        # the base before a write that may not reach the file is kept over a crash in between: the event then comes again
        self.remember(self.adaptor.db, file, base, former or {}, unseen)
        temporary = file.with_suffix(".tmp")
        temporary.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
        temporary.replace(file)
        is_unreported = bool(unreported(base, record))
        self.remember(self.adaptor.db, file, base, None, (unseen or event["position"]) if is_unreported else None)
        return kept

    def remove(self, file, event):
        """Removes the file, unless it has a change that was not reported yet."""
        local = self.record_in(file)
        if local is not None:
            base, unseen = self.base_of(file, local)
            kept = unreported(base, local)
            if kept:
                self.remember(self.adaptor.db, file, base or {}, None, unseen or event["position"])
                return kept
            file.unlink()
        self.adaptor.db.execute("delete from base where name = ?", (str(file),))
        return []

    def record_in(self, file):
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    def base_of(self, file, local):
        """The record that was last reported or applied (None: nothing is known), and the first event that it kept a property of."""
        row = self.adaptor.db.execute(
            "select base, former, kept_epoch, kept_sequence from base where name = ?", (str(file),)).fetchone()
        if row is None:
            return None, None
        base, unseen = json.loads(row[0]), (row[2], row[3]) if row[2] is not None else None
        if row[1] is not None:  # after a crash, the file holds the values before or after the write
            former = json.loads(row[1])
            reached = {name: former if name in former and name in local and same(former[name], local[name])
                       or name not in former and name not in local else base for name in {**base, **former}}
            base = {name: one[name] for name, one in reached.items() if name in one}
        return base, unseen

    def remember(self, db, file, base, former=None, unseen=None):
        texts = [json.dumps(one, ensure_ascii=False) if one is not None else None for one in (base, former)]
        db.execute("insert or replace into base values (?, ?, ?, ?, ?)", (str(file), *texts, *(unseen or (None, None))))

    def scan(self, adaptor):
        for version in self.versions:
            files = [file for file in sorted(self.folder_of(version["domain"]).iterdir())
                     if file.suffix == ".json" and file.is_file()]
            for file in files:
                record = self.record_in(file)
                base, unseen = self.base_of(file, record)
                if base is not None and not unreported(base, record):
                    continue  # what was reported or applied is no news
                adaptor.publish("PUT", version["domain"], version["version"], record,
                                lambda db, file=file, record=record: self.remember(db, file, record), unseen)
            adaptor.discovered(version["domain"], version["version"], len(files))

    def read(self, request):
        domain = request["domain"]
        names = next((one["drKeyProperties"] for one in self.versions if one["domain"] == domain), [])
        if request["records"] is None:
            files = sorted(self.folder_of(domain).glob("*.json"))
            size = request.get("size") or len(files) or 1
            start = (request.get("page") or 0) * size
            records = [json.loads(file.read_text(encoding="utf-8")) for file in files[start:start + size]]
            return [{"drKey": {name: record.get(name) for name in names}, "data": record} for record in records]
        found = []
        for wanted in request["records"]:
            file = self.file_of(domain, [wanted["drKey"].get(name) for name in names])
            data = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
            found.append({**wanted, "data": data})
        return found


if __name__ == "__main__":
    settings, secret_variables = read_settings()
    directory = Path(settings.get("DATA_DIRECTORY", f".fds-adaptor/{settings['ADAPTOR_UUID']}"))
    directory.mkdir(parents=True, exist_ok=True)
    handlers = FolderHandlers("records")
    handlers.adaptor = Adaptor(settings, handlers, directory / "journal.sqlite", secret_variables)
    sys.exit(handlers.adaptor.run())
