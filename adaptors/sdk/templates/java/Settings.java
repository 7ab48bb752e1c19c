import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The properties of the adaptor, and `${NAME}` in them and in metadata. */
final class Settings {
    private static final List<String> REQUIRED =
            List.of("ADAPTOR_UUID", "CLIENT_ID", "CLIENT_SECRET", "MESSAGE_BUS_URL");
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\$(?=\\{)|\\{([A-Za-z_][A-Za-z0-9_]*)\\})");

    private Settings() {}

    /**
     * The environment wins over the file, where `adaptor.uuid` stands for ADAPTOR_UUID.
     *
     * @throws IllegalArgumentException for properties that are missing, and variables that are not set
     */
    static Map<String, String> read(Path file) throws IOException {
        Properties written = new Properties();
        if (Files.exists(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                written.load(reader);
            }
        }
        Map<String, String> environment = System.getenv();
        Map<String, String> settings = new LinkedHashMap<>();
        List<String> faults = new ArrayList<>();
        for (String name : written.stringPropertyNames()) {
            String variable = name.toUpperCase(Locale.ROOT).replace('.', '_');
            if (environment.getOrDefault(variable, "").isEmpty())
                settings.put(variable, fill(written.getProperty(name), file + "/" + name, faults));
        }
        environment.forEach((name, value) -> {
            if (!value.isEmpty()) settings.put(name, value);
        });
        for (String name : REQUIRED) if (!settings.containsKey(name)) faults.add(name + " is missing");
        if (!faults.isEmpty()) throw new IllegalArgumentException(String.join("; ", faults));
        return settings;
    }

    /**
     * Fills in `${NAME}` in texts from the environment; `$${` stands for `${`. Names of members stay unchanged.
     *
     * @throws IllegalArgumentException that names every variable that is not set, with its place
     */
    static Object resolved(Object value, String place) {
        List<String> faults = new ArrayList<>();
        Object filled = resolved(value, place, faults);
        if (!faults.isEmpty()) throw new IllegalArgumentException(String.join("; ", faults));
        return filled;
    }

    private static Object resolved(Object value, String place, List<String> faults) {
        if (value instanceof String text) return fill(text, place, faults);
        if (value instanceof Map<?, ?> object) {
            Map<String, Object> filled = new LinkedHashMap<>();
            object.forEach((name, member) -> filled.put((String) name, resolved(member, place + "/" + name, faults)));
            return filled;
        }
        if (value instanceof List<?> list) {
            List<Object> filled = new ArrayList<>();
            for (Object item : list) filled.add(resolved(item, place + "/" + filled.size(), faults));
            return filled;
        }
        return value;
    }

    private static String fill(String text, String place, List<String> faults) {
        return VARIABLE.matcher(text).replaceAll(match -> {
            String name = match.group(2);
            if (name == null) return Matcher.quoteReplacement("$");
            String value = System.getenv(name);
            if (value == null) faults.add(place + ": the environment variable " + name + " is not set");
            return Matcher.quoteReplacement(value == null ? "" : value);
        });
    }
}
