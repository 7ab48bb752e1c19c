"""The adaptor bus of the Federated Data Service, for an adaptor in Python 3.9 or newer with paho-mqtt.

One thread handles all messages in order; MQTT's threads only fill a queue. State is in one SQLite file: positions and
outgoing messages, written in one transaction. The contract is docs/protocols/adaptor-bus.md; its terms are used here.
"""

import json
import os
import queue
import random
import re
import signal
import sqlite3
import sys
import time
import uuid
from datetime import datetime, timezone
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt

WINDOW = 256
MAX_PAYLOAD = 262144
ANSWER_TIMEOUT = 3.0
STARTING_EVERY = 5.0

SCHEMA = """
create table if not exists state (id integer primary key check (id = 1), send_epoch text not null,
  send_acked integer not null, send_last integer not null, receive_epoch text, receive_applied integer not null,
  sent integer not null, received integer not null);
create table if not exists outgoing (sequence integer primary key, body text not null);
create table if not exists report (id integer primary key autoincrement, body text not null);
create table if not exists base (name text primary key, base text not null, former text, kept_epoch text,
  kept_sequence integer);
create table if not exists discovery (domain text not null, version integer not null, records integer not null,
  mark integer not null, reported integer not null default 0, primary key (domain, version));
"""


class Retry(Exception):
    """The event cannot be applied now; it is tried again, and its successors wait. The text names the source and the cause."""


class Refused(Exception):
    """The system refuses the event. `title` is one sentence for a steward, the text of the exception has the details."""

    def __init__(self, message, title=None, properties=None):
        super().__init__(message)
        self.title = title
        self.properties = properties


class Handlers:
    """What the author of an adaptor writes."""

    def configure(self, start):
        """Takes `metadata`, `capabilities` and `domainVersions`. An exception puts the adaptor into ERROR."""

    def apply(self, event):
        """Applies a data event; `event["record"]` and `event["keyValues"]` are read already, `event["position"]` is its epoch and
        number. Must be idempotent: after a crash the last events come again. An exception other than Retry becomes a data
        issue. Returns the properties that were kept (see `merge`), or nothing."""
        raise NotImplementedError

    def read(self, request):
        """The records of an assembly request: a list of {drUuid?, drKey, data}."""
        raise NotImplementedError

    def scan(self, adaptor):
        """Called about twice a second while the adaptor plays: report changes with `adaptor.publish`, and then each version that
        was read to its end with `adaptor.discovered`."""

    def refused(self, refusal):
        """An event of this adaptor became a data issue."""
        print(f"refused: {refusal['message']} {refusal['errors']}", file=sys.stderr, flush=True)


def dumps(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


ABSENT = object()


def same(left, right):
    """Are both the same JSON value? For Python, 1 and True are equal; for JSON they are not. ABSENT equals itself only."""
    if left is ABSENT or right is ABSENT:
        return left is right
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def unreported(base, local):
    """The properties of a record whose values were not reported: they differ from the base. `base` is None when nothing is known."""
    if base is None:
        return list(local)
    return [name for name in {**base, **local} if name not in base or name not in local or not same(base[name], local[name])]


def merge(base, local, event):
    """Decides what an incoming POST or PUT writes, so that no change of a user is overwritten before it was reported.

    `base` is the record that was last reported or applied, None when nothing is known; `local` the record that the system holds
    now, None when there is none. Only properties in `changed` are new. If the system holds the base, the event's value is
    written; another value was not reported, and is kept. In a reconciliation, the value in `read` takes the place of the
    base. Returns (values to write, kept properties, base after the event).
    """
    record, read = event["record"], event.get("read") or {}
    names = [name for name in event.get("changed", record) if name in record]
    if local is None:
        return (record, [], record) if base is None else ({}, names, base)
    write, kept, after = {}, [], dict(base or {})
    for name in names:
        incoming, held = record[name], local.get(name, ABSENT)
        known = read[name] if name in read else (base or {}).get(name, ABSENT)
        if same(held, incoming):
            after[name] = incoming
        elif same(known, held):  # also when the system has no value, and none is known
            write[name] = after[name] = incoming
        else:
            kept.append(name)
            if name in read:  # the value that stayed is reported again
                after.pop(name, None)
    return write, kept, after


VARIABLE = re.compile(r"\$(\$(?=\{)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


def variables_in(text):
    """Names of the variables in a text."""
    return {match.group(2) for match in VARIABLE.finditer(text) if match.group(2) is not None}


def resolved(value, place="", may_name=lambda name: True):
    """Fills in `${NAME}` in texts from the environment; `$${` stands for `${`. Names of members stay unchanged.

    Raises ValueError that names every variable that is not set or not allowed, with its place.
    """
    faults = []

    def fill(inner, at):
        if isinstance(inner, dict):
            return {name: fill(member, f"{at}/{name}") for name, member in inner.items()}
        if isinstance(inner, list):
            return [fill(item, f"{at}/{index}") for index, item in enumerate(inner)]
        if not isinstance(inner, str):
            return inner

        def variable(match):
            name = match.group(2)
            if name is None:
                return "$"
            if not may_name(name):
                faults.append(f"{at}: the metadata may not name the environment variable {name}")
                return ""
            if name not in os.environ:
                faults.append(f"{at}: the environment variable {name} is not set")
            return os.environ.get(name, "")

        return VARIABLE.sub(variable, inner)

    filled = fill(value, place)
    if faults:
        raise ValueError("; ".join(faults))
    return filled


def is_text(value):
    return isinstance(value, str)


class Adaptor:
    def __init__(self, settings, handlers, state_file, secret_variables=("CLIENT_SECRET",)):
        """`secret_variables` hold the client secret: the metadata may not name them."""
        self.uuid = settings["ADAPTOR_UUID"]
        self.settings = settings
        self.secret_variables = secret_variables
        self.handlers = handlers
        self.instance = str(uuid.uuid4())
        self.queue = queue.Queue()
        self.db = sqlite3.connect(state_file, isolation_level=None)
        self.db.executescript("pragma journal_mode = wal; pragma synchronous = full;" + SCHEMA)
        self.db.execute("insert or ignore into state values (1, ?, 0, 0, null, 0, 0, 0)", (str(uuid.uuid4()),))
        self.state = "STARTING"
        self.started_at = time.monotonic()
        self.ops = None
        self.data = None
        self.data_up = False
        self.starting_at = None
        self.hello_id = None
        self.hello_at = 0.0
        self.sent_upto = None
        self.progress_at = 0.0
        self.retry = None
        self.reports_on_the_way = {}
        self.ending = None
        self.shall_play = False
        self.discovery_mode = False
        self.source_fault = ""

    # --- state on disk

    def position(self):
        row = self.db.execute(
            "select send_epoch, send_acked, send_last, receive_epoch, receive_applied, sent, received from state"
        ).fetchone()
        names = ("send_epoch", "acked", "last", "epoch", "applied", "sent", "received")
        return dict(zip(names, row))

    def append(self, bodies, events):
        """Numbers messages for `up/data`. Part of the caller's transaction."""
        last = self.position()["last"]
        for body in bodies:
            last += 1
            self.db.execute("insert into outgoing values (?, ?)", (last, dumps(body)))
        self.db.execute("update state set send_last = ?, sent = sent + ?", (last, events))

    def transaction(self, work):
        self.db.execute("begin immediate")
        try:
            work()
            self.db.execute("commit")
        except BaseException:
            self.db.execute("rollback")
            raise

    # --- messages

    def envelope(self, kind, data, **more):
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"specversion": "1.0", "id": str(uuid.uuid4()), "source": f"/adaptors/{self.uuid}", "type": kind,
                "time": now, "datacontenttype": "application/json", **more, "data": data}

    def topic(self, channel):
        return f"fds/v1/a/{self.uuid}/{channel}"

    def put(self, client, channel, message, retain=False):
        return client.publish(self.topic(channel), dumps(message), qos=1, retain=retain)

    def status(self, state, message=None):
        data = {"state": state, "sdk": {"name": "fds-python-skeleton", "version": "1.0.0"}, "instance": self.instance}
        if message is not None:
            data["stateMessage"] = message[:2000]
        return self.envelope("fds.status.v1", data)

    def report_state(self, state, message=None):
        self.state = state
        return self.put(self.ops, "up/status", self.status(state, message or self.source_fault or None), retain=True)

    def report_source(self, reason):
        """States that the source cannot be used as configured, until it is called with an empty text."""
        if reason == self.source_fault:
            return
        self.source_fault = reason
        print(f"the source: {reason or 'works again'}", file=sys.stderr, flush=True)
        fault = {"level": "WARN", "kind": "SOURCE", "message": reason[:2000]}
        self.put(self.ops, "up/ops", self.envelope("fds.adaptor.error.v1", fault))

    def publish(self, action, domain, version, record, commit=None, unseen=None):
        """Stores a data event; from then on it reaches the server. `commit` runs in the same transaction.

        `unseen` is the position (epoch, number) of the first event of which the record kept a property. The report says that
        it had not seen it, and the server decides by the order of its commits.
        """
        position = self.position()
        seen = {"epoch": position["epoch"] or position["send_epoch"],
                "applied": position["applied"] if position["epoch"] else 0}
        if unseen is not None:
            seen["applied"] = min(seen["applied"], unseen[1] - 1) if unseen[0] == seen["epoch"] else 0
        data = {"action": action, "domain": domain, "version": version, "json": record, "seen": seen,
                "transactionUuid": str(uuid.uuid4()), "createTime": int(time.time() * 1000)}
        if self.discovery_mode:
            data["discovery"] = True
        body = self.envelope("fds.data.v1", data)
        if len(dumps(body).encode()) > MAX_PAYLOAD - 200:
            raise ValueError("the event is larger than the bus carries")

        def work():
            self.append([body], 1)
            if commit is not None:
                commit(self.db)

        self.transaction(work)
        self.pump()

    def discovered(self, domain, version, records):
        """States that a scan of a version has reached its end, with the number of records that the adaptor has.

        Call it after every complete scan. It counts in discovery mode only, once for each version. The report is sent when the
        server has acknowledged everything that was published before.
        """
        if self.discovery_mode:
            self.db.execute("insert or ignore into discovery select ?, ?, ?, send_last, 0 from state", (domain, version, records))
            self.report_discoveries()

    def report_discoveries(self):
        """Sends the reports of scans whose records are all acknowledged. One that is lost is sent again after the next START."""
        if self.ops is None or not self.ops.is_connected():
            return
        due = self.db.execute("select domain, version, records from discovery, state "
                              "where reported = 0 and mark <= send_acked").fetchall()
        for domain, version, records in due:
            self.db.execute("update discovery set reported = 1 where domain = ? and version = ?", (domain, version))
            report = {"domain": domain, "version": version, "records": records}
            self.put(self.ops, "up/ops", self.envelope("fds.discovered.v1", report))

    def compare_discoveries(self, known):
        """Reports the scans again that the server has not noted. `known` is None for an older server, which does not say."""
        for domain, version in self.db.execute("select domain, version from discovery").fetchall():
            if known is not None and {"domain": domain, "version": version} not in known:
                self.db.execute("update discovery set reported = 0 where domain = ? and version = ?", (domain, version))
        self.report_discoveries()

    # --- MQTT

    def client(self, role):
        old_api = (mqtt.CallbackAPIVersion.VERSION1,) if hasattr(mqtt, "CallbackAPIVersion") else ()
        client = mqtt.Client(*old_api, client_id=f"{self.uuid}-{role}", clean_session=True)
        client.username_pw_set(self.settings["CLIENT_ID"], self.settings["CLIENT_SECRET"])
        # half of the wait is random, so that many adaptors do not return at once
        client.reconnect_delay_set(min_delay=1, max_delay=5 + random.randrange(10))
        client.max_inflight_messages_set(WINDOW)
        client.on_message = lambda _c, _u, message: self.queue.put((role, message.topic, message.payload))
        client.on_disconnect = lambda *_: self.queue.put((role, "down", None))
        client.on_subscribe = lambda *_: self.queue.put((role, "up", None))
        client.on_publish = lambda _c, _u, mid, *_: self.queue.put((role, "published", mid))

        def connected(_client, _userdata, _flags, code, *_):
            if code in (4, 5):
                self.queue.put((role, "refused", code))
            elif code == 0:
                names = ("ops", "req") if role == "ops" else ("data", "ack", "hello")
                client.subscribe([(self.topic(f"down/{name}"), 1) for name in names])

        client.on_connect = connected
        url = urlsplit(self.settings["MESSAGE_BUS_URL"])
        if role == "ops":
            client.will_set(self.topic("up/status"), dumps(self.status("DOWN", "connection lost")), qos=1, retain=True)
        if url.scheme in ("tls", "ssl", "mqtts"):
            client.tls_set()
        client.connect_async(url.hostname, url.port or 1883, keepalive=30)
        client.loop_start()
        return client

    def run(self):
        """Runs until the server or a signal ends it; returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.queue.put(("self", "stop", None)))
        self.ops = self.client("ops")
        scan_at = 0.0
        while self.ending is None:
            try:
                self.handle(*self.queue.get(timeout=0.1))
            except queue.Empty:
                pass
            self.tick()
            if self.state == "STARTED" and time.monotonic() >= scan_at:
                scan_at = time.monotonic() + 0.5
                try:
                    self.handlers.scan(self)
                    if self.retry is None:
                        self.report_source("")
                except Exception as error:  # the source is away: the next scan tries again
                    self.report_source(f"the source was not read: {error}")
        if self.data is not None:
            self.data.disconnect()
        if self.ending != "superseded" and self.ops.is_connected():
            self.report_state("DOWN").wait_for_publish(5)
        self.ops.disconnect()
        self.db.close()
        return {"refused": 1, "superseded": 4}.get(self.ending, 0)

    def handle(self, role, what, payload):
        if what == "stop":
            self.ending = "stopped"
        elif what == "refused":
            print("the message bus refuses the credentials: check client.id and client.secret; an external broker may not have "
                  "the user yet (docs/operations.md#external-broker)", file=sys.stderr, flush=True)
            self.ending = "refused"
        elif what == "published":
            report = self.reports_on_the_way.pop((role, payload), None)
            if report is not None:
                self.db.execute("delete from report where id = ?", (report,))
        elif role == "ops" and what == "up":
            self.announce()
            self.send_reports()
        elif role == "ops" and what == "down":
            self.starting_at = None
            self.reports_on_the_way.clear()
        elif role == "data" and self.data is None:
            return  # of a connection that a pause has ended
        elif what == "up":
            self.data_up = True
            self.hello()
        elif what == "down":
            self.data_up = False
            self.sent_upto = None
            self.retry = None
        else:
            self.receive(what.rsplit("/", 1)[1], payload)

    def receive(self, channel, payload):
        try:
            message = json.loads(payload)
            data = message["data"]
            kind = message["type"]
        except (ValueError, KeyError, TypeError):
            print(f"a message on down/{channel} cannot be read", file=sys.stderr, flush=True)
            return
        if channel == "ops" and kind == "fds.ops.v1":
            self.operate(data)
        elif channel == "ops" and kind == "fds.refused.v1":
            try:
                self.handlers.refused(data)
            except Exception as error:
                print(f"the handler of refusals failed: {error}", file=sys.stderr, flush=True)
            # until then the server repeats the notice after each START
            self.put(self.ops, "up/ops", self.envelope("fds.refused.ack.v1", {"issueUuids": [data["issueUuid"]]}))
        elif channel == "ops" and kind == "fds.superseded.v1" and data.get("instance") == self.instance:
            print("another process with the same credentials has taken over", file=sys.stderr, flush=True)
            self.ending = "superseded"
        elif channel == "req" and kind == "fds.assembly.request.v1":
            self.answer(message, data)
        elif channel == "hello" and kind == "fds.hello.v1":
            self.met(message, data)
        elif channel == "ack" and kind == "fds.ack.v1":
            self.acknowledged(data["epoch"], data["upto"])
        elif channel == "data":
            self.take(message)

    def tick(self):
        now = time.monotonic()
        if self.starting_at is not None and now - self.starting_at > STARTING_EVERY:
            self.announce()
        if not self.data_up:
            return
        if self.hello_id is not None and now - self.hello_at > ANSWER_TIMEOUT:
            self.hello()
        if self.retry is not None and now >= self.retry[0]:
            message = self.retry[1]
            self.retry = None
            self.take(message)
        if self.sent_upto is not None and self.sent_upto > self.position()["acked"]:
            if now - self.progress_at > ANSWER_TIMEOUT:
                self.sent_upto = self.position()["acked"]
                self.pump()

    # --- operations

    def announce(self):
        self.starting_at = time.monotonic()
        self.put(self.ops, "up/status", self.status("STARTING"), retain=True)

    def operate(self, request):
        operation = request.get("operation")
        answer = {"requestId": request.get("requestId"), "operation": operation, "accepted": True}
        try:
            if operation == "START":
                self.starting_at = None
                self.compare_discoveries(request.get("discovered"))
                self.shall_play = request.get("state") != "PAUSE"
                self.configure(request)
            elif operation == "METADATA":
                self.configure(request)
            elif operation in ("PLAY", "PAUSE"):
                self.shall_play = operation == "PLAY"
                self.play() if self.shall_play else self.pause()
            elif operation == "REFRESH_STATE":
                self.report_state(self.state)
            elif operation == "HEALTH":
                answer["health"] = {"status": "UP" if self.state in ("STARTED", "PAUSED") else "DOWN",
                                    "uptime": int((time.monotonic() - self.started_at) * 1000)}
            elif operation == "METRICS":
                position = self.position()
                answer["metrics"] = {"sent": position["sent"], "received": position["received"]}
            elif operation == "SHUTDOWN":
                answer["acknowledged"] = True
            else:
                return
            if operation not in ("METRICS", "SHUTDOWN"):
                answer["state"] = self.state
        except Exception as error:
            answer.update(accepted=False, message=str(error)[:2000], state="ERROR")
            self.report_state("ERROR", str(error))
        sent = self.put(self.ops, "up/ops", self.envelope("fds.ops.answer.v1", answer, correlationid=answer["requestId"]))
        if operation == "SHUTDOWN":
            sent.wait_for_publish(5)
            self.ending = "shutdown"

    def may_name(self, variable):
        """May the metadata name this variable? It comes from the server, and could send the value anywhere."""
        listed = self.settings.get("METADATA_VARIABLES")
        allowed = listed is None or variable in [name.strip() for name in listed.split(",")]
        return allowed and variable not in self.secret_variables

    def configure(self, request):
        """Takes a configuration, and then does what the server wants: metadata that is corrected ends an ERROR."""
        if "metadata" in request:
            request = {**request, "metadata": resolved(request["metadata"], may_name=self.may_name)}
        self.discovery_mode = request.get("discoveryMode", self.discovery_mode)
        self.handlers.configure(request)
        self.play() if self.shall_play else self.pause()

    def play(self):
        if self.data is None:
            self.data = self.client("data")
        self.report_state("STARTED")

    def pause(self):
        # one thread: nothing is being applied while this runs, and all that was applied is acknowledged
        if self.data is not None:
            self.data.disconnect()
            self.data.loop_stop()
            self.data = None
        self.data_up = False
        self.sent_upto = None
        self.retry = None
        self.hello_id = None
        self.report_state("PAUSED")

    # --- positions of both directions

    def hello(self):
        position = self.position()
        data = {"epoch": position["epoch"], "applied": position["applied"],
                "sendEpoch": position["send_epoch"], "sent": position["last"]}
        message = self.envelope("fds.hello.v1", data)
        message["correlationid"] = self.server_hello if hasattr(self, "server_hello") else message["id"]
        self.hello_id = message["id"]
        self.hello_at = time.monotonic()
        self.put(self.data, "up/hello", message)

    def met(self, message, hello):
        self.server_hello = message["id"]
        if self.hello_id is None or message.get("correlationid") != self.hello_id:
            # it answers no hello of this connection and proves nothing; it may be a question
            if self.hello_id is None:
                self.hello()
            return
        self.hello_id = None
        position = self.position()
        again = False
        if hello["sendEpoch"] is not None and hello["sendEpoch"] != position["epoch"]:
            self.db.execute("update state set receive_epoch = ?, receive_applied = 0", (hello["sendEpoch"],))
            again = True
        known = hello["epoch"] == position["send_epoch"] and position["acked"] <= hello["applied"] <= position["last"]
        if known:
            self.forget(hello["applied"])
        elif position["acked"] > 0 or hello["epoch"] == position["send_epoch"]:
            self.renew()
            again = True
        if again:
            self.hello()
        else:
            self.sent_upto = self.position()["acked"]
            self.pump()

    def renew(self):
        """The server has lost the sequence: what it has not acknowledged is numbered from 1 in a new epoch."""
        def work():
            rows = self.db.execute("select body from outgoing order by sequence").fetchall()
            self.db.execute("delete from outgoing")
            for number, (body,) in enumerate(rows, 1):
                self.db.execute("insert into outgoing values (?, ?)", (number, body))
            self.db.execute("update discovery set mark = max(mark - (select send_acked from state), 0)")
            self.db.execute("update state set send_epoch = ?, send_acked = 0, send_last = ?",
                            (str(uuid.uuid4()), len(rows)))

        self.transaction(work)

    # --- up

    def forget(self, upto):
        def work():
            self.db.execute("delete from outgoing where sequence <= ?", (upto,))
            self.db.execute("update state set send_acked = ?", (upto,))

        self.transaction(work)
        self.report_discoveries()
        self.progress_at = time.monotonic()

    def acknowledged(self, epoch, upto):
        position = self.position()
        if epoch == position["send_epoch"] and position["acked"] < upto <= position["last"]:
            self.forget(upto)
            self.pump()

    def pump(self):
        if not self.data_up or self.sent_upto is None:
            return
        position = self.position()
        to = min(position["last"], position["acked"] + WINDOW)
        rows = self.db.execute("select sequence, body from outgoing where sequence > ? and sequence <= ? order by sequence",
                               (self.sent_upto, to)).fetchall()
        if self.sent_upto == position["acked"]:
            self.progress_at = time.monotonic()
        for sequence, body in rows:
            message = json.loads(body)
            self.put(self.data, "up/data", {**message, "sequence": f"{sequence:019d}", "epoch": position["send_epoch"]})
            self.sent_upto = sequence

    def send_reports(self):
        if not self.ops.is_connected():
            return
        for number, body in self.db.execute("select id, body from report order by id").fetchall():
            if number not in self.reports_on_the_way.values():
                self.reports_on_the_way[("ops", self.put(self.ops, "up/ops", json.loads(body)).mid)] = number

    # --- down

    def acknowledge(self):
        position = self.position()
        if position["epoch"] is not None:
            ack = {"epoch": position["epoch"], "upto": position["applied"]}
            self.put(self.data, "up/ack", self.envelope("fds.ack.v1", ack))

    def take(self, message):
        position = self.position()
        try:
            sequence = int(message["sequence"])
        except (KeyError, ValueError, TypeError):
            return  # it stands in no sequence
        if self.retry is not None:
            return  # it comes again, in order
        if message.get("epoch") == position["epoch"] and sequence <= position["applied"]:
            self.acknowledge()
        elif message.get("epoch") == position["epoch"] and sequence == position["applied"] + 1:
            self.apply(message, sequence)
        elif self.hello_id is None:
            self.hello()

    def apply(self, message, sequence):
        data = message["data"]
        links, reports = [], []
        try:
            event = {**data, "record": json.loads(data["jsonData"]), "keyValues": json.loads(data["drKey"]),
                     "position": (message["epoch"], sequence)}
            kept = self.handlers.apply(event)
            # a record that stays although it was deleted elsewhere is reported next, and keeps its link until then
            if data["action"] == "POST" or (data["action"] == "DELETE" and not kept):
                action = "LINK" if data["action"] == "POST" else "UNLINK"
                link = {"action": action, "domain": data["domain"], "version": data["version"], "drUuid": data["drUuid"]}
                links.append(self.envelope("fds.link.v1", {"links": [link]}))
        except Retry as error:
            self.report_source(str(error))
            self.retry = (time.monotonic() + 1.0, message)
            return
        except Exception as error:
            fault = {"level": "ERROR", "kind": "DATA", "message": str(error)[:2000] or type(error).__name__,
                     "sequence": sequence}
            if isinstance(error, Refused):
                fault.update({name: getattr(error, name) for name in ("title", "properties") if getattr(error, name)})
            fault.update({name: data[name] for name in ("drUuid", "transactionUuid") if is_text(data.get(name))})
            reports.append(self.envelope("fds.adaptor.error.v1", fault))

        self.report_source("")

        def work():
            self.db.execute("update state set receive_applied = ?, received = received + 1", (sequence,))
            self.append(links, 0)
            for report in reports:
                self.db.execute("insert into report (body) values (?)", (dumps(report),))

        self.transaction(work)
        self.acknowledge()
        self.pump()
        if reports:
            self.send_reports()

    # --- assembly

    def answer(self, message, request):
        base = {"requestUuid": request["requestUuid"]}
        try:
            parts = [[]]
            size = 0
            for record in self.handlers.read(request):
                length = len(dumps(record).encode())
                if parts[-1] and size + length > MAX_PAYLOAD - 4096:
                    parts.append([])
                    size = 0
                parts[-1].append(record)
                size += length
            answers = [{**base, "part": number, "last": number == len(parts), "records": records}
                       for number, records in enumerate(parts, 1)]
        except Exception as error:
            fault = {"code": "ADAPTOR_ERROR", "message": str(error)[:2000]}
            answers = [{**base, "part": 1, "last": True, "records": [], "error": fault}]
        instance = message.get("replyinstance")
        channel = "up/rsp" if instance is None else f"up/rsp/{instance}"
        for answer in answers:
            self.put(self.ops, channel,
                     self.envelope("fds.assembly.answer.v1", answer, correlationid=request["requestUuid"]))
