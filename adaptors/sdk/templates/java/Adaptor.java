import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The adaptor's end of the bus: connection, sequences, journal, operations, assembly. One thread handles all messages in order. The
 * system of record is in `Records`. Positions and outgoing events are in one file, which is replaced at once.
 */
public final class Adaptor implements Records.Reporter {
    private static final int MAX_RECORDS_BYTES = 250_000;
    private static final long ANSWER_MS = 3_000;
    private static final long STARTING_MS = 5_000;
    private static final long SCAN_MS = 500;
    private static final long RETRY_MS = 1_000;
    private static final int MAX_PAYLOAD = 262_144;
    /** Events that the server has not acknowledged. With this many, no more changes are read. */
    private static final int WINDOW = 256;

    /** A message, or a change of a connection (topic "up", "down", "refused"). */
    private record Input(String role, String topic, byte[] payload) {}

    private final LinkedBlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private static Settings settings;
    private final String uuid = settings.get("ADAPTOR_UUID");
    private final String instance = UUID.randomUUID().toString();
    private final Path stateFile;
    private final Records records;
    private final long startedAt = System.nanoTime();
    private Map<String, Object> position;
    private Mqtt ops;
    private Mqtt data;
    private String state = "STARTING";
    /** Of the server, with the values of its variables: the place to configure your system. */
    private Map<String, Object> metadata = new LinkedHashMap<>();
    private boolean shallPlay;
    /** The server only links the records of this adaptor. */
    private boolean discoveryMode;
    private boolean opsUp;
    private boolean dataUp;
    private long announcedAt;
    private boolean isAnnouncing;
    private String helloId;
    private String serverHelloId;
    private long helloAt;
    /** The last event that was sent on this connection; null before the server's hello. */
    private Long sentUpto;
    private long progressAt;
    private long scannedAt;
    /** The event that waits until the system is back. */
    private Map<String, Object> retry;
    private long retryAt;
    private String sourceFault = "";
    private Integer exitCode;

    private Adaptor() throws IOException {
        String given = settings.get("DATA_DIRECTORY");
        Path directory = Path.of(given == null ? ".fds-adaptor/" + uuid : given);
        Files.createDirectories(directory);
        records = new Records(directory);
        stateFile = directory.resolve("position.json");
        if (Files.exists(stateFile)) {
            position = Json.object(Json.parse(Files.readString(stateFile)));
        } else {
            store(Json.of("epoch", null, "applied", 0, "sendEpoch", UUID.randomUUID().toString(), "received", 0));
        }
        // a file of an earlier version has no journal
        for (String name : List.of("acked", "last", "sent")) position.putIfAbsent(name, 0);
        position.putIfAbsent("outgoing", new ArrayList<>());
        position.putIfAbsent("discoveries", new LinkedHashMap<>());
    }

    public static void main(String[] args) throws Exception {
        try {
            settings = Settings.read(Path.of("adaptor.properties"));
        } catch (IllegalArgumentException fault) {
            System.err.println(fault.getMessage());
            System.exit(1);
        }
        System.exit(new Adaptor().run());
    }

    // --- the bus

    private void store(Map<String, Object> next) throws IOException {
        Records.write(stateFile, Json.write(next));
        position = next;
    }

    /** Stores the position with some members changed. */
    private void store(Object... members) throws IOException {
        Map<String, Object> next = new LinkedHashMap<>(position);
        next.putAll(Json.of(members));
        store(next);
    }

    private long number(String name) {
        return ((Number) position.get(name)).longValue();
    }

    private Map<String, Object> envelope(String type, String correlation, Map<String, Object> message) {
        Map<String, Object> envelope = Json.of("specversion", "1.0", "id", UUID.randomUUID().toString(), "source",
                "/adaptors/" + uuid, "type", type, "time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
                "datacontenttype", "application/json");
        if (correlation != null) envelope.put("correlationid", correlation);
        envelope.put("data", message);
        return envelope;
    }

    private String topic(String channel) {
        return "fds/v1/a/" + uuid + "/" + channel;
    }

    private void put(Mqtt client, String channel, Map<String, Object> message) {
        client.publish(topic(channel), Json.write(message), channel.equals("up/status"));
    }

    /** Waits until the broker has it. False: the connection is lost. */
    private boolean putSurely(Mqtt client, String channel, Map<String, Object> message) {
        try {
            client.publish(topic(channel), Json.write(message), channel.equals("up/status")).get(10, TimeUnit.SECONDS);
            return true;
        } catch (Exception error) {
            return false;
        }
    }

    private Map<String, Object> status(String reported) {
        Map<String, Object> sdk = Json.of("name", "fds-java-skeleton", "version", "1.0.0");
        Map<String, Object> status = Json.of("state", reported, "sdk", sdk, "instance", instance);
        if (!sourceFault.isEmpty()) status.put("stateMessage", sourceFault);
        return envelope("fds.status.v1", null, status);
    }

    private void report(String next) {
        report(next, status(next));
    }

    private void report(String next, Map<String, Object> status) {
        state = next;
        put(ops, "up/status", status);
    }

    private Mqtt connect(String role, List<String> channels, Mqtt.Will will) {
        List<String> filters = channels.stream().map(channel -> topic("down/" + channel)).toList();
        return new Mqtt(URI.create(settings.get("MESSAGE_BUS_URL")), uuid + "-" + role, settings.get("CLIENT_ID"),
                settings.get("CLIENT_SECRET"), filters, will, new Mqtt.Listener() {
                    public void up() {
                        inputs.add(new Input(role, "up", null));
                    }

                    public void down() {
                        inputs.add(new Input(role, "down", null));
                    }

                    public void message(String topic, byte[] payload) {
                        inputs.add(new Input(role, topic.substring(topic.lastIndexOf('/') + 1) + "!", payload));
                    }

                    public void refused(int code) {
                        inputs.add(new Input(role, "refused", null));
                    }
                });
    }

    private int run() throws Exception {
        ops = connect("ops", List.of("ops", "req"), new Mqtt.Will(topic("up/status"), Json.write(status("DOWN"))));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (opsUp && exitCode == null) putSurely(ops, "up/status", status("DOWN"));
        }));
        while (exitCode == null) {
            Input input = inputs.poll(100, TimeUnit.MILLISECONDS);
            if (input != null) handle(input);
            tick();
        }
        if (data != null) data.close();
        ops.close();
        return exitCode;
    }

    private void tick() throws IOException {
        long now = System.currentTimeMillis();
        if (isAnnouncing && now - announcedAt > STARTING_MS) announce();
        if (state.equals("STARTED") && now - scannedAt > SCAN_MS) scan(now);
        if (!dataUp) return;
        if (helloId != null && now - helloAt > ANSWER_MS) hello();
        if (retry != null && now >= retryAt) {
            Map<String, Object> message = retry;
            retry = null;
            take(message, Json.object(message.get("data")));
        }
        if (sentUpto != null && sentUpto > number("acked") && now - progressAt > ANSWER_MS) {
            sentUpto = number("acked");
            pump();
        }
    }

    private void scan(long now) {
        scannedAt = now;
        try {
            records.scan(this);
            if (retry == null) reportSource("");
        } catch (IOException | IllegalArgumentException error) { // the next scan tries again
            reportSource("the source was not read: " + error);
        }
    }

    /** States that the source cannot be used as configured, until it is called with an empty text. */
    private void reportSource(String reason) {
        if (reason.equals(sourceFault)) return;
        sourceFault = reason;
        System.err.println("the source: " + (reason.isEmpty() ? "works again" : reason));
        Map<String, Object> fault = Json.of("level", "WARN", "kind", "SOURCE", "message", reason);
        put(ops, "up/ops", envelope("fds.adaptor.error.v1", null, fault));
    }

    // --- up

    /** Stores an event; from then on it reaches the server. False: the server has to acknowledge earlier ones first. */
    @Override
    public boolean publish(String domain, Object version, Map<String, Object> record, Records.Position unseen)
            throws IOException {
        List<Object> outgoing = new ArrayList<>(Json.list(position.get("outgoing")));
        if (outgoing.size() >= WINDOW) return false;
        Object epoch = position.get("epoch");
        long applied = epoch == null ? 0 : number("applied");
        if (unseen != null) applied = unseen.epoch().equals(epoch) ? Math.min(applied, unseen.sequence() - 1) : 0;
        Map<String, Object> seen = Json.of("epoch", epoch == null ? position.get("sendEpoch") : epoch, "applied", applied);
        Map<String, Object> change = Json.of("action", "PUT", "domain", domain, "version", version, "json", record, "seen",
                seen, "transactionUuid", UUID.randomUUID().toString(), "createTime", System.currentTimeMillis());
        if (discoveryMode) change.put("discovery", true);
        Map<String, Object> event = envelope("fds.data.v1", null, change);
        if (Json.write(event).getBytes(StandardCharsets.UTF_8).length > MAX_PAYLOAD - 200)
            throw new IOException("a record is larger than the bus carries");
        outgoing.add(event);
        store("outgoing", outgoing, "last", number("last") + 1, "sent", number("sent") + 1);
        pump();
        return true;
    }

    /**
     * Notes the first complete scan of a version in discovery mode. The report is sent when the server has acknowledged everything
     * that was published before.
     */
    @Override
    public void discovered(String domain, Object version, long count) throws IOException {
        Map<String, Object> discoveries = new LinkedHashMap<>(Json.object(position.get("discoveries")));
        String name = domain + ":" + version;
        if (!discoveryMode || discoveries.containsKey(name)) return;
        discoveries.put(name, Json.of("domain", domain, "version", version, "records", count, "mark", number("last"),
                "reported", false));
        store("discoveries", discoveries);
        reportDiscoveries();
    }

    /** Sends the reports of scans whose records are all acknowledged. One that is lost is sent again after the next START. */
    private void reportDiscoveries() throws IOException {
        if (!opsUp) return;
        Map<String, Object> discoveries = new LinkedHashMap<>(Json.object(position.get("discoveries")));
        for (Map.Entry<String, Object> each : Json.object(position.get("discoveries")).entrySet()) {
            Map<String, Object> scan = Json.object(each.getValue());
            boolean isDue = scan.get("reported").equals(false) && ((Number) scan.get("mark")).longValue() <= number("acked");
            if (!isDue) continue;
            Map<String, Object> reported = new LinkedHashMap<>(scan);
            reported.put("reported", true);
            discoveries.put(each.getKey(), reported);
            store("discoveries", discoveries);
            put(ops, "up/ops", envelope("fds.discovered.v1", null, Json.of("domain", scan.get("domain"), "version",
                    scan.get("version"), "records", scan.get("records"))));
        }
    }

    /** @param known the versions whose discovery the server has noted: the others are reported again */
    private void compareDiscoveries(List<Object> known) throws IOException {
        Map<String, Object> discoveries = new LinkedHashMap<>();
        for (Map.Entry<String, Object> each : Json.object(position.get("discoveries")).entrySet()) {
            Map<String, Object> scan = new LinkedHashMap<>(Json.object(each.getValue()));
            boolean isKnown = known.stream().map(Json::object).anyMatch(one -> one.get("domain").equals(scan.get("domain"))
                    && String.valueOf(one.get("version")).equals(String.valueOf(scan.get("version"))));
            if (!isKnown) scan.put("reported", false);
            discoveries.put(each.getKey(), scan);
        }
        store("discoveries", discoveries);
        reportDiscoveries();
    }

    private void pump() {
        if (!dataUp || sentUpto == null) return;
        List<Object> outgoing = Json.list(position.get("outgoing"));
        long acked = number("acked");
        if (sentUpto == acked) progressAt = System.currentTimeMillis();
        for (Object each : outgoing.subList((int) (sentUpto - acked), outgoing.size())) {
            sentUpto++;
            Map<String, Object> message = new LinkedHashMap<>(Json.object(each));
            message.put("sequence", String.format("%019d", sentUpto));
            message.put("epoch", position.get("sendEpoch"));
            put(data, "up/data", message);
        }
    }

    private void forget(long upto) throws IOException {
        List<Object> outgoing = Json.list(position.get("outgoing"));
        List<Object> left = new ArrayList<>(outgoing.subList((int) (upto - number("acked")), outgoing.size()));
        store("outgoing", left, "acked", upto);
        progressAt = System.currentTimeMillis();
        reportDiscoveries();
    }

    private void acknowledged(Map<String, Object> ack) throws IOException {
        long upto = ((Number) ack.get("upto")).longValue();
        if (!position.get("sendEpoch").equals(ack.get("epoch")) || upto <= number("acked") || upto > number("last")) return;
        forget(upto);
        if (sentUpto != null) sentUpto = Math.max(sentUpto, upto);
        pump();
    }

    // --- messages

    private void handle(Input input) throws IOException {
        boolean isOps = input.role().equals("ops");
        if (!isOps && data == null) return; // of a connection that a pause has ended
        switch (input.topic()) {
            case "refused" -> {
                System.err.println("the message bus refuses the credentials: check client.id and client.secret; an external"
                        + " broker may not have the user yet (docs/operations.md#external-broker)");
                exitCode = 1;
            }
            case "up" -> {
                if (isOps) {
                    opsUp = true;
                    announce();
                } else {
                    dataUp = true;
                    hello();
                }
            }
            case "down" -> {
                if (isOps) {
                    opsUp = false;
                    isAnnouncing = false;
                } else {
                    dataUp = false;
                    helloId = null;
                    sentUpto = null;
                    retry = null;
                }
            }
            default -> {
                try {
                    String text = new String(input.payload(), StandardCharsets.UTF_8);
                    receive(input.topic().replace("!", ""), Json.object(Json.parse(text)));
                } catch (IllegalArgumentException | NullPointerException | ClassCastException error) {
                    System.err.println("a message cannot be read: " + error.getMessage());
                }
            }
        }
    }

    private void receive(String channel, Map<String, Object> message) throws IOException {
        Map<String, Object> content = Json.object(message.get("data"));
        switch (channel + " " + message.get("type")) {
            case "ops fds.ops.v1" -> operate(content);
            case "ops fds.refused.v1" -> {
                System.err.println("refused: " + content.get("message"));
                // until then the server repeats the notice after each START
                Map<String, Object> taken = Json.of("issueUuids", List.of(content.get("issueUuid")));
                put(ops, "up/ops", envelope("fds.refused.ack.v1", null, taken));
            }
            case "ops fds.superseded.v1" -> {
                if (!instance.equals(content.get("instance"))) return;
                System.err.println("another process with the same credentials has taken over");
                exitCode = 4;
            }
            case "req fds.assembly.request.v1" -> answer(message, content);
            case "hello fds.hello.v1" -> met(message, content);
            case "ack fds.ack.v1" -> acknowledged(content);
            case "data fds.data.v1" -> take(message, content);
            default -> {
                // messages of the future
            }
        }
    }

    private void announce() {
        isAnnouncing = true;
        announcedAt = System.currentTimeMillis();
        put(ops, "up/status", status("STARTING"));
    }

    private void operate(Map<String, Object> request) throws IOException {
        String operation = (String) request.get("operation");
        String requestId = (String) request.get("requestId");
        Map<String, Object> answer = Json.of("requestId", requestId, "operation", operation, "accepted", true);
        switch (operation) {
            case "START" -> {
                isAnnouncing = false;
                shallPlay = !"PAUSE".equals(request.get("state"));
                if (request.get("discovered") != null) compareDiscoveries(Json.list(request.get("discovered")));
                configure(request, answer);
            }
            case "METADATA" -> configure(request, answer);
            case "PLAY", "PAUSE" -> {
                shallPlay = operation.equals("PLAY");
                playOrPause();
            }
            case "REFRESH_STATE" -> report(state);
            case "HEALTH" -> {
                boolean isUp = state.equals("STARTED") || state.equals("PAUSED");
                long uptime = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt);
                answer.put("health", Json.of("status", isUp ? "UP" : "DOWN", "uptime", uptime));
            }
            case "METRICS" -> answer.put("metrics", Json.of("sent", number("sent"), "received", number("received")));
            case "SHUTDOWN" -> answer.put("acknowledged", true);
            default -> {
                return;
            }
        }
        if (operation.equals("SHUTDOWN")) {
            putSurely(ops, "up/ops", envelope("fds.ops.answer.v1", requestId, answer));
            putSurely(ops, "up/status", status("DOWN"));
            exitCode = 0;
            return;
        }
        if (!operation.equals("METRICS")) answer.put("state", state);
        put(ops, "up/ops", envelope("fds.ops.answer.v1", requestId, answer));
    }

    /** Takes a configuration, and then does what the server wants: metadata that is corrected ends an ERROR. */
    private void configure(Map<String, Object> request, Map<String, Object> answer) {
        try {
            if (request.get("discoveryMode") != null) discoveryMode = (Boolean) request.get("discoveryMode");
            if (request.get("metadata") != null) metadata = Json.object(settings.resolved(request.get("metadata")));
            if (request.get("domainVersions") != null) records.configure(Json.list(request.get("domainVersions")));
            playOrPause();
        } catch (IOException | IllegalArgumentException fault) {
            answer.put("accepted", false);
            answer.put("message", fault.getMessage());
            Map<String, Object> status = status("ERROR");
            Json.object(status.get("data")).put("stateMessage", fault.getMessage());
            report("ERROR", status);
        }
    }

    private void playOrPause() {
        if (shallPlay) play();
        else pause();
    }

    private void play() {
        if (data == null) data = connect("data", List.of("data", "ack", "hello"), null);
        report("STARTED");
    }

    private void pause() {
        // one thread: nothing is being applied, and all that was applied is acknowledged
        if (data != null) data.close();
        data = null;
        dataUp = false;
        helloId = null;
        sentUpto = null;
        retry = null;
        report("PAUSED");
    }

    private void hello() {
        Map<String, Object> message = envelope("fds.hello.v1", "", Json.of("epoch", position.get("epoch"), "applied",
                position.get("applied"), "sendEpoch", position.get("sendEpoch"), "sent", number("last")));
        helloId = (String) message.get("id");
        message.put("correlationid", serverHelloId == null ? helloId : serverHelloId);
        helloAt = System.currentTimeMillis();
        put(data, "up/hello", message);
    }

    private void met(Map<String, Object> message, Map<String, Object> hello) throws IOException {
        serverHelloId = (String) message.get("id");
        if (helloId == null) hello(); // a question of the server
        else if (helloId.equals(message.get("correlationid"))) {
            helloId = null;
            Object epoch = hello.get("sendEpoch");
            boolean isNew = epoch != null && !epoch.equals(position.get("epoch"));
            if (isNew) store("epoch", epoch, "applied", 0);
            boolean isLost = !meet(hello.get("epoch"), ((Number) hello.get("applied")).longValue());
            if (isNew || isLost) {
                hello();
            } else {
                sentUpto = number("acked");
                pump();
            }
        }
    }

    /** Takes the position up to which the server has this adaptor's events. False: it has lost the sequence, and a new one begins. */
    private boolean meet(Object epoch, long applied) throws IOException {
        boolean isOwn = position.get("sendEpoch").equals(epoch);
        if (isOwn && number("acked") <= applied && applied <= number("last")) {
            forget(applied);
        } else if (isOwn || number("acked") > 0) {
            // what the server has not acknowledged is numbered from 1 in a new epoch
            int left = Json.list(position.get("outgoing")).size();
            Map<String, Object> discoveries = new LinkedHashMap<>();
            for (Map.Entry<String, Object> each : Json.object(position.get("discoveries")).entrySet()) {
                Map<String, Object> scan = new LinkedHashMap<>(Json.object(each.getValue()));
                scan.put("mark", Math.max(0, ((Number) scan.get("mark")).longValue() - number("acked")));
                discoveries.put(each.getKey(), scan);
            }
            store("discoveries", discoveries, "sendEpoch", UUID.randomUUID().toString(), "acked", 0, "last", left);
            return false;
        }
        return true;
    }

    private void take(Map<String, Object> message, Map<String, Object> event) throws IOException {
        // while an event waits, later ones come again, in order
        if (!dataUp || retry != null || message.get("sequence") == null) return;
        long sequence = Long.parseLong((String) message.get("sequence"));
        boolean isKnown = message.get("epoch") != null && message.get("epoch").equals(position.get("epoch"));
        long applied = number("applied");
        if (isKnown && sequence <= applied) acknowledge();
        else if (isKnown && sequence == applied + 1) {
            if (!handle(message, event, sequence)) return; // the event comes again
            store("applied", sequence, "received", number("received") + 1);
            acknowledge();
        } else if (helloId == null) hello();
    }

    /** Applies an event, and sends its report before the event counts as done. */
    private boolean handle(Map<String, Object> message, Map<String, Object> event, long sequence) {
        List<String> kept;
        try {
            kept = records.apply(event, new Records.Position((String) message.get("epoch"), sequence));
            reportSource("");
        } catch (Records.Away away) {
            reportSource(away.getMessage());
            retry = message;
            retryAt = System.currentTimeMillis() + RETRY_MS;
            return false;
        } catch (Exception error) {
            String text = error.getMessage() == null ? error.toString() : error.getMessage();
            Map<String, Object> fault = Json.of("level", "ERROR", "kind", "DATA", "message", text, "sequence", sequence,
                    "drUuid", event.get("drUuid"), "transactionUuid", event.get("transactionUuid"));
            if (error instanceof Records.Refused refused) fault.put("title", refused.title);
            return putSurely(ops, "up/ops", envelope("fds.adaptor.error.v1", null, fault));
        }
        // a record that stays although it was deleted elsewhere is reported next, and keeps its link until then
        if (event.get("action").equals("PUT") || event.get("action").equals("DELETE") && !kept.isEmpty()) return true;
        String action = event.get("action").equals("POST") ? "LINK" : "UNLINK";
        Map<String, Object> link = Json.of("action", action, "domain", event.get("domain"), "version",
                event.get("version"), "drUuid", event.get("drUuid"));
        return putSurely(ops, "up/link", envelope("fds.link.v1", null, Json.of("links", List.of(link))));
    }

    private void acknowledge() {
        Map<String, Object> ack = Json.of("epoch", position.get("epoch"), "upto", position.get("applied"));
        put(data, "up/ack", envelope("fds.ack.v1", null, ack));
    }

    private void answer(Map<String, Object> message, Map<String, Object> request) {
        String requestUuid = (String) request.get("requestUuid");
        Object to = message.get("replyinstance");
        String channel = to == null ? "up/rsp" : "up/rsp/" + to;
        List<List<Object>> parts = new ArrayList<>(List.of(new ArrayList<>()));
        Map<String, Object> error = null;
        try {
            int bytes = 0;
            for (Object record : records.read(request)) {
                int length = Json.write(record).getBytes(StandardCharsets.UTF_8).length + 1;
                if (bytes > 0 && bytes + length > MAX_RECORDS_BYTES) {
                    parts.add(new ArrayList<>());
                    bytes = 0;
                }
                parts.get(parts.size() - 1).add(record);
                bytes += length;
            }
        } catch (Exception failure) {
            error = Json.of("code", "ADAPTOR_ERROR", "message", String.valueOf(failure.getMessage()));
            parts = List.of(List.of());
        }
        for (int part = 1; part <= parts.size(); part++) {
            Map<String, Object> answer = Json.of("requestUuid", requestUuid, "part", part, "last", part == parts.size(),
                    "records", parts.get(part - 1));
            if (error != null) answer.put("error", error);
            put(ops, channel, envelope("fds.assembly.answer.v1", requestUuid, answer));
        }
    }
}
