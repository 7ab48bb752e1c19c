import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The properties of the adaptor, and `${NAME}` in them and in metadata. */
final class Settings {
    private static final List<String> REQUIRED =
            List.of("ADAPTOR_UUID", "CLIENT_ID", "CLIENT_SECRET", "MESSAGE_BUS_URL");
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\$(?=\\{)|\\{([A-Za-z_][A-Za-z0-9_]*)\\})");

    private final Map<String, String> values;
    /** They hold the client secret. */
    private final Set<String> secretVariables;

    private Settings(Map<String, String> values, Set<String> secretVariables) {
        this.values = values;
        this.secretVariables = secretVariables;
    }

    /** Null: it is not set. */
    String get(String name) {
        return values.get(name);
    }

    /**
     * The environment wins over the file, where `adaptor.uuid` stands for ADAPTOR_UUID.
     *
     * @throws IllegalArgumentException for properties that are missing, and variables that are not set
     */
    static Settings read(Path file) throws IOException {
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
                settings.put(variable, fill(written.getProperty(name), file + "/" + name, any -> true, faults));
        }
        environment.forEach((name, value) -> {
            if (!value.isEmpty()) settings.put(name, value);
        });
        for (String name : REQUIRED) if (!settings.containsKey(name)) faults.add(name + " is missing");
        if (!faults.isEmpty()) throw new IllegalArgumentException(String.join("; ", faults));
        Set<String> secrets = new HashSet<>(Set.of("CLIENT_SECRET"));
        Matcher named = VARIABLE.matcher(written.getProperty("client.secret", ""));
        while (named.find()) if (named.group(2) != null) secrets.add(named.group(2));
        return new Settings(settings, secrets);
    }

    /** The metadata comes from the server, and could send the value of a variable anywhere. */
    private boolean mayName(String variable) {
        String listed = values.get("METADATA_VARIABLES");
        boolean allowed = listed == null || List.of(listed.trim().split("\\s*,\\s*")).contains(variable);
        return allowed && !secretVariables.contains(variable);
    }

    /**
     * Fills in `${NAME}` in the texts of metadata from the environment; `$${` stands for `${`. Names of members stay unchanged.
     *
     * @throws IllegalArgumentException that names every variable that is not set or not allowed, with its place
     */
    Object resolved(Object metadata) {
        List<String> faults = new ArrayList<>();
        Object filled = resolved(metadata, "", faults);
        if (!faults.isEmpty()) throw new IllegalArgumentException(String.join("; ", faults));
        return filled;
    }

    private Object resolved(Object value, String place, List<String> faults) {
        if (value instanceof String text) return fill(text, place, this::mayName, faults);
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

    private static String fill(String text, String place, Predicate<String> mayName, List<String> faults) {
        return VARIABLE.matcher(text).replaceAll(match -> {
            String name = match.group(2);
            if (name == null) return Matcher.quoteReplacement("$");
            if (!mayName.test(name)) {
                faults.add(place + ": the metadata may not name the environment variable " + name);
                return "";
            }
            String value = System.getenv(name);
            if (value == null) faults.add(place + ": the environment variable " + name + " is not set");
            return Matcher.quoteReplacement(value == null ? "" : value);
        });
    }
}
