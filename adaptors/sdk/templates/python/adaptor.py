"""An adaptor in Python: a folder of JSON files is the system of record, one file for each record.

It is configured by the environment or by adaptor.properties (ADAPTOR_UUID or adaptor.uuid, and so on). Replace
FolderHandlers by your system. It does not report files that you delete.
"""

import hashlib
import json
import os
import sys
from pathlib import Path
from urllib.parse import quote

from fds_bus import Adaptor, Handlers, resolved, variables_in

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


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


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
        file = self.file_of(event["domain"], event["keyValues"])
        if event["action"] == "DELETE":
            file.unlink(missing_ok=True)
            return
        record = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if record and "changed" in event:  # the other properties are repeated, and the file may hold a newer value
            event["record"] = {name: value for name, value in event["record"].items() if name in event["changed"]}
        record.update(event["record"])  # an absent property stays as it is; null is a value
        text = json.dumps(record, ensure_ascii=False)
        self.remember(self.adaptor.db, file, text)  # first: after a crash in between the event comes again
        temporary = file.with_suffix(".tmp")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(file)

    def remember(self, db, file, text):
        db.execute("insert or replace into known values (?, ?)", (str(file), digest(text)))

    def scan(self, adaptor):
        for version in self.versions:
            for file in sorted(self.folder_of(version["domain"]).glob("*.json")):
                text = file.read_text(encoding="utf-8")
                known = adaptor.db.execute("select digest from known where name = ?", (str(file),)).fetchone()
                if known is not None and known[0] == digest(text):
                    continue  # what was reported or applied is no news
                adaptor.publish("PUT", version["domain"], version["version"], json.loads(text),
                                lambda db, file=file, text=text: self.remember(db, file, text))

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
