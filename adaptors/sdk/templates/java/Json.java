import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as Map, List, String, BigInteger, BigDecimal, Boolean and null: every digit is kept. */
final class Json {
    private static final int MAX_DEPTH = 1000;
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.blanks();
        if (json.at != text.length()) throw json.fault("the end");
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        if (!(value instanceof Map)) throw new IllegalArgumentException("not a JSON object");
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        if (!(value instanceof List)) throw new IllegalArgumentException("not a JSON list");
        return (List<Object>) value;
    }

    /** An object of names and values in turn. */
    static Map<String, Object> of(Object... members) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < members.length; i += 2) object.put((String) members[i], members[i + 1]);
        return object;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator);
                write(entry.getKey(), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object item : list) {
                out.append(separator);
                write(item, out);
                separator = ",";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof String string) {
            out.append('"');
            for (char c : string.toCharArray()) {
                if (c == '"' || c == '\\') out.append('\\').append(c);
                else if (c < 0x20) out.append(String.format("\\u%04x", (int) c));
                else out.append(c);
            }
            out.append('"');
        } else {
            out.append(value);
        }
    }

    private IllegalArgumentException fault(String expected) {
        return new IllegalArgumentException("JSON: " + expected + " expected at " + at);
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char next() {
        blanks();
        if (at >= text.length()) throw fault("a value");
        return text.charAt(at);
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) throw fault("a value that is less deep");
        char c = next();
        if (c == '{') return members(depth);
        if (c == '[') return items(depth);
        if (c == '"') return string();
        if (text.startsWith("true", at)) return word(4, Boolean.TRUE);
        if (text.startsWith("false", at)) return word(5, Boolean.FALSE);
        if (text.startsWith("null", at)) return word(4, null);
        return number();
    }

    private Object word(int length, Object value) {
        at += length;
        return value;
    }

    private Map<String, Object> members(int depth) {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        if (next() == '}') {
            at++;
            return object;
        }
        while (true) {
            if (next() != '"') throw fault("a name");
            String name = string();
            if (next() != ':') throw fault(":");
            at++;
            object.put(name, value(depth + 1));
            char c = next();
            at++;
            if (c == '}') return object;
            if (c != ',') throw fault(", or }");
        }
    }

    private List<Object> items(int depth) {
        List<Object> list = new ArrayList<>();
        at++;
        if (next() == ']') {
            at++;
            return list;
        }
        while (true) {
            list.add(value(depth + 1));
            char c = next();
            at++;
            if (c == ']') return list;
            if (c != ',') throw fault(", or ]");
        }
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (true) {
            if (at >= text.length()) throw fault("\"");
            char c = text.charAt(at++);
            if (c == '"') return out.toString();
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (at >= text.length()) throw fault("an escape");
            char escape = text.charAt(at++);
            int known = "\"\\/bfnrt".indexOf(escape);
            if (known >= 0) {
                out.append("\"\\/\b\f\n\r\t".charAt(known));
            } else if (escape == 'u' && at + 4 <= text.length()) {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                throw fault("an escape");
            }
        }
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(start, at);
        if (digits.isEmpty()) throw fault("a value");
        if (digits.matches("-?\\d+")) return new BigInteger(digits);
        return new BigDecimal(digits);
    }
}
