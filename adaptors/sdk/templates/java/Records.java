import java.io.IOException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The system of record: a folder of JSON files, one for each record. Replace it by your system. It does not report files that a
 * user deletes.
 */
final class Records {
    /** The system cannot be reached: the event is tried again, and its successors wait. The message names source and cause. */
    static final class Away extends Exception {
        private static final long serialVersionUID = 1;

        Away(String message) {
            super(message);
        }
    }

    /** The system refuses the event. The title is one sentence for a steward, the message has the details. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        final String title;

        Refused(String title, Throwable cause) {
            super(String.valueOf(cause), cause);
            this.title = title;
        }
    }

    /** The number of an event within its epoch. */
    record Position(String epoch, long sequence) {}

    /** Takes a changed record into the journal. */
    interface Reporter {
        /**
         * @param unseen the first event of which the record kept a property; null: none. The report says that it had not seen it
         * @return false: the journal is full; the record is reported by a later scan
         */
        boolean publish(String domain, Object version, Map<String, Object> record, Position unseen) throws IOException;

        /** A scan of a version has reached its end. @param records the number of records that the system has */
        void discovered(String domain, Object version, long records) throws IOException;
    }

    /** What is known about a record. */
    private record Known(Map<String, Object> base, Position unseen) {}

    private final Path bases;
    private final Map<String, Map<String, Object>> versions = new LinkedHashMap<>();

    /** @param state the folder for what is known about each record */
    Records(Path state) {
        bases = state.resolve("base");
    }

    void configure(List<Object> domainVersions) throws IOException {
        for (Object each : domainVersions) {
            Map<String, Object> version = Json.object(each);
            versions.put((String) version.get("domain"), version);
            Files.createDirectories(folderOf(version.get("domain")));
        }
    }

    private static Path folderOf(Object domain) {
        return Path.of("records", URLEncoder.encode((String) domain, StandardCharsets.UTF_8));
    }

    private static Path fileOf(Object domain, Object keyValues) {
        return folderOf(domain).resolve(URLEncoder.encode(Json.write(keyValues), StandardCharsets.UTF_8) + ".json");
    }

    private static Map<String, Object> recordIn(Path file) throws IOException {
        return Files.exists(file) ? Json.object(Json.parse(Files.readString(file))) : null;
    }

    /**
     * Must be idempotent: after a crash the last event comes again. An exception other than Away becomes a data issue.
     *
     * @return the properties that were kept
     */
    List<String> apply(Map<String, Object> event, Position position) throws Away, Refused {
        Path folder = folderOf(event.get("domain"));
        if (!Files.exists(folder)) throw new Away("the folder " + folder + " is away");
        Path file = fileOf(event.get("domain"), Json.list(Json.parse((String) event.get("drKey"))));
        try {
            return event.get("action").equals("DELETE") ? remove(file, position) : write(file, event, position);
        } catch (IOException error) {
            throw new Refused("The folder of records refuses the record", error);
        }
    }

    /** Writes the new properties, except those with a value that was not reported yet: they are kept, and reported next. */
    private List<String> write(Path file, Map<String, Object> event, Position position) throws IOException {
        Map<String, Object> local = recordIn(file);
        Known known = local == null ? new Known(null, null) : knownOf(file, local);
        Map<String, Object> values = Json.object(Json.parse((String) event.get("jsonData")));
        List<Object> changed = event.get("changed") == null ? null : Json.list(event.get("changed"));
        Map<String, Object> read = event.get("read") == null ? null : Json.object(event.get("read"));
        Merge merged = Merge.of(known.base(), local, values, changed, read);
        Map<String, Object> record = new LinkedHashMap<>(local == null ? Map.of() : local);
        record.putAll(merged.write); // null is a value
        // the base before a write that may not reach the file is kept over a crash in between: the event then comes again
        remember(file, merged.base, known.base() == null ? Map.of() : known.base(), known.unseen());
        write(file, Json.write(record));
        boolean isUnreported = !Merge.unreported(merged.base, record).isEmpty();
        Position first = known.unseen() == null ? position : known.unseen();
        remember(file, merged.base, null, isUnreported ? first : null);
        return merged.kept;
    }

    /** Removes the file, unless it has a change that was not reported yet. */
    private List<String> remove(Path file, Position position) throws IOException {
        Map<String, Object> local = recordIn(file);
        if (local != null) {
            Known known = knownOf(file, local);
            List<String> kept = Merge.unreported(known.base(), local);
            if (!kept.isEmpty()) {
                Position first = known.unseen() == null ? position : known.unseen();
                remember(file, known.base() == null ? Map.of() : known.base(), null, first);
                return kept;
            }
            Files.delete(file);
        }
        Files.deleteIfExists(baseFileOf(file));
        return List.of();
    }

    private Path baseFileOf(Path file) {
        return bases.resolve(file.getParent().getFileName()).resolve(file.getFileName());
    }

    private Known knownOf(Path file, Map<String, Object> local) throws IOException {
        Map<String, Object> stored = recordIn(baseFileOf(file));
        if (stored == null) return new Known(null, null);
        Map<String, Object> base = Json.object(stored.get("base"));
        if (stored.get("former") != null) { // after a crash, the file holds the values before or after the write
            Map<String, Object> former = Json.object(stored.get("former"));
            Set<String> names = new LinkedHashSet<>(base.keySet());
            names.addAll(former.keySet());
            Map<String, Object> reached = new LinkedHashMap<>();
            for (String name : names) {
                Map<String, Object> of = Merge.areEqual(former, local, name) ? former : base;
                if (of.containsKey(name)) reached.put(name, of.get(name));
            }
            base = reached;
        }
        Object sequence = stored.get("keptSequence");
        Position unseen = sequence == null ? null
                : new Position((String) stored.get("keptEpoch"), ((Number) sequence).longValue());
        return new Known(base, unseen);
    }

    private void remember(Path file, Map<String, Object> base, Map<String, Object> former, Position unseen)
            throws IOException {
        Map<String, Object> stored = Json.of("base", base, "former", former);
        if (unseen != null) stored.putAll(Json.of("keptEpoch", unseen.epoch(), "keptSequence", unseen.sequence()));
        Path known = baseFileOf(file);
        Files.createDirectories(known.getParent());
        // not forced to disk: after a power failure, the last records are at most reported once more
        Path temporary = known.resolveSibling(known.getFileName() + ".tmp");
        Files.writeString(temporary, Json.write(stored));
        Files.move(temporary, known, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Reports the records that a user has changed. Called about twice a second while the adaptor plays. */
    void scan(Reporter reporter) throws IOException {
        for (Map.Entry<String, Map<String, Object>> version : versions.entrySet()) {
            Object number = version.getValue().get("version");
            long records = 0;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folderOf(version.getKey()), "*.json")) {
                for (Path file : files) {
                    if (!Files.isRegularFile(file)) continue;
                    records++;
                    Map<String, Object> record = recordIn(file);
                    Known known = knownOf(file, record);
                    // what was reported or applied is no news
                    if (known.base() != null && Merge.unreported(known.base(), record).isEmpty()) continue;
                    if (!reporter.publish(version.getKey(), number, record, known.unseen())) return;
                    remember(file, record, null, null);
                }
            }
            reporter.discovered(version.getKey(), number, records);
        }
    }

    List<Object> read(Map<String, Object> request) throws IOException {
        List<Object> found = new ArrayList<>();
        if (request.get("records") == null) throw new IOException("this adaptor answers for named records only");
        Map<String, Object> version = versions.getOrDefault((String) request.get("domain"), Map.of());
        List<Object> names = version.get("drKeyProperties") == null ? List.of() : Json.list(version.get("drKeyProperties"));
        for (Object each : Json.list(request.get("records"))) {
            Map<String, Object> wanted = Json.object(each);
            Map<String, Object> drKey = Json.object(wanted.get("drKey"));
            List<Object> values = new ArrayList<>();
            for (Object name : names) values.add(drKey.get(name));
            Map<String, Object> record = recordIn(fileOf(request.get("domain"), values));
            found.add(Json.of("drUuid", wanted.get("drUuid"), "drKey", drKey, "data", record));
        }
        return found;
    }

    /** Replaces the content of a file at once, durably. */
    static void write(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
