"""Changes a record of adaptor.py as a user does: for `fds-adaptor-conformance --change`."""

import json
import os
from pathlib import Path
from urllib.parse import quote

record_id = os.environ["RECORD_ID"]
file = Path("records/customer") / f"{quote(json.dumps([record_id], ensure_ascii=False), safe='')}.json"
file.parent.mkdir(parents=True, exist_ok=True)
record = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"id": record_id}
record[os.environ["RECORD_PROPERTY"]] = os.environ["RECORD_VALUE"]
temporary = file.with_suffix(".new")
temporary.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
temporary.replace(file)
