import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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
 * An adaptor in Java that applies events and answers assembly requests; it reports no changes. Its system of record is a folder
 * of JSON files. One thread handles all messages in order. Replace `apply` and `read` by your system.
 */
public final class Adaptor {
    private static final int MAX_RECORDS_BYTES = 250_000;
    private static final long ANSWER_MS = 3_000;
    private static final long STARTING_MS = 5_000;

    /** A message, or a change of a connection (topic "up", "down", "refused"). */
    private record Input(String role, String topic, byte[] payload) {}

    private final LinkedBlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private static Settings settings;
    private final String uuid = settings.get("ADAPTOR_UUID");
    private final String instance = UUID.randomUUID().toString();
    private final Path stateFile;
    private final Map<String, List<Object>> keys = new LinkedHashMap<>();
    private final long startedAt = System.nanoTime();
    private Map<String, Object> position;
    private Mqtt ops;
    private Mqtt data;
    private String state = "STARTING";
    /** Of the server, with the values of its variables: the place to configure your system. */
    private Map<String, Object> metadata = new LinkedHashMap<>();
    private boolean shallPlay;
    private boolean opsUp;
    private boolean dataUp;
    private long announcedAt;
    private boolean isAnnouncing;
    private String helloId;
    private String serverHelloId;
    private long helloAt;
    private Integer exitCode;

    private Adaptor() throws IOException {
        String given = settings.get("DATA_DIRECTORY");
        Path directory = Path.of(given == null ? ".fds-adaptor/" + uuid : given);
        Files.createDirectories(directory);
        stateFile = directory.resolve("position.json");
        if (Files.exists(stateFile)) {
            position = Json.object(Json.parse(Files.readString(stateFile)));
        } else {
            store(Json.of("epoch", null, "applied", 0, "sendEpoch", UUID.randomUUID().toString(), "received", 0));
        }
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

    // --- the system of record: replace these

    private Path fileOf(Object domain, Object keyValues) {
        String name = URLEncoder.encode(Json.write(keyValues), StandardCharsets.UTF_8);
        return Path.of("records", URLEncoder.encode((String) domain, StandardCharsets.UTF_8), name + ".json");
    }

    /** Must be idempotent: after a crash the last event comes again. An exception becomes a data issue. */
    private void apply(Map<String, Object> event) throws IOException {
        Path file = fileOf(event.get("domain"), Json.list(Json.parse((String) event.get("drKey"))));
        if (event.get("action").equals("DELETE")) {
            Files.deleteIfExists(file);
            return;
        }
        Map<String, Object> changes = Json.object(Json.parse((String) event.get("jsonData")));
        Map<String, Object> record =
                Files.exists(file) ? Json.object(Json.parse(Files.readString(file))) : new LinkedHashMap<>();
        // only new properties: the others are repeated, and the file may hold a newer value; null is a value
        if (!record.isEmpty() && event.get("changed") != null) changes.keySet().retainAll(Json.list(event.get("changed")));
        record.putAll(changes);
        Files.createDirectories(file.getParent());
        write(file, Json.write(record));
    }

    private List<Object> read(Map<String, Object> request) throws IOException {
        List<Object> found = new ArrayList<>();
        if (request.get("records") == null) throw new IOException("this adaptor answers for named records only");
        for (Object each : Json.list(request.get("records"))) {
            Map<String, Object> wanted = Json.object(each);
            Map<String, Object> drKey = Json.object(wanted.get("drKey"));
            List<Object> values = new ArrayList<>();
            for (Object name : keys.getOrDefault((String) request.get("domain"), List.of())) values.add(drKey.get(name));
            Path file = fileOf(request.get("domain"), values);
            Object record = Files.exists(file) ? Json.parse(Files.readString(file)) : null;
            found.add(Json.of("drUuid", wanted.get("drUuid"), "drKey", drKey, "data", record));
        }
        return found;
    }

    // --- the bus

    private static void write(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void store(Map<String, Object> next) throws IOException {
        write(stateFile, Json.write(next));
        position = next;
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
        return envelope("fds.status.v1", null, Json.of("state", reported, "sdk", sdk, "instance", instance));
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

    private void tick() {
        long now = System.currentTimeMillis();
        if (isAnnouncing && now - announcedAt > STARTING_MS) announce();
        if (dataUp && helloId != null && now - helloAt > ANSWER_MS) hello();
    }

    private void handle(Input input) throws IOException {
        boolean isOps = input.role().equals("ops");
        if (!isOps && data == null) return; // of a connection that a pause has ended
        switch (input.topic()) {
            case "refused" -> {
                System.err.println("the message bus refuses the credentials");
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
            case "data fds.data.v1" -> take(message, content);
            default -> {
                // acknowledgements of nothing, and messages of the future
            }
        }
    }

    private void announce() {
        isAnnouncing = true;
        announcedAt = System.currentTimeMillis();
        put(ops, "up/status", status("STARTING"));
    }

    private void operate(Map<String, Object> request) {
        String operation = (String) request.get("operation");
        String requestId = (String) request.get("requestId");
        Map<String, Object> answer = Json.of("requestId", requestId, "operation", operation, "accepted", true);
        switch (operation) {
            case "START" -> {
                isAnnouncing = false;
                shallPlay = !"PAUSE".equals(request.get("state"));
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
            case "METRICS" -> answer.put("metrics", Json.of("sent", 0, "received", number("received")));
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
            if (request.get("metadata") != null) metadata = Json.object(settings.resolved(request.get("metadata")));
            if (request.get("domainVersions") != null) {
                for (Object each : Json.list(request.get("domainVersions"))) {
                    Map<String, Object> version = Json.object(each);
                    keys.put((String) version.get("domain"), Json.list(version.get("drKeyProperties")));
                }
            }
            playOrPause();
        } catch (IllegalArgumentException fault) {
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
        report("PAUSED");
    }

    private void hello() {
        Map<String, Object> message = envelope("fds.hello.v1", "", Json.of("epoch", position.get("epoch"), "applied",
                position.get("applied"), "sendEpoch", position.get("sendEpoch"), "sent", 0));
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
            if (epoch == null || epoch.equals(position.get("epoch"))) return;
            move(epoch, 0, 0);
            hello();
        }
    }

    private void move(Object epoch, long applied, int received) throws IOException {
        store(Json.of("epoch", epoch, "applied", applied, "sendEpoch", position.get("sendEpoch"), "received",
                number("received") + received));
    }

    private void take(Map<String, Object> message, Map<String, Object> event) throws IOException {
        if (!dataUp || message.get("sequence") == null) return;
        long sequence = Long.parseLong((String) message.get("sequence"));
        boolean isKnown = message.get("epoch") != null && message.get("epoch").equals(position.get("epoch"));
        long applied = number("applied");
        if (isKnown && sequence <= applied) acknowledge();
        else if (isKnown && sequence == applied + 1) {
            if (!handle(event, sequence)) return; // the connection is lost: the event comes again
            move(position.get("epoch"), sequence, 1);
            acknowledge();
        } else if (helloId == null) hello();
    }

    /** Applies an event, and sends its report before the event counts as done. */
    private boolean handle(Map<String, Object> event, long sequence) {
        try {
            apply(event);
        } catch (Exception error) {
            String message = error.getMessage() == null ? error.toString() : error.getMessage();
            Map<String, Object> fault = Json.of("level", "ERROR", "kind", "DATA", "message", message, "sequence", sequence,
                    "drUuid", event.get("drUuid"), "transactionUuid", event.get("transactionUuid"));
            return putSurely(ops, "up/ops", envelope("fds.adaptor.error.v1", null, fault));
        }
        if (event.get("action").equals("PUT")) return true;
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
            for (Object record : read(request)) {
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
