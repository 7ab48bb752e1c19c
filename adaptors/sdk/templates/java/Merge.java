import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What an incoming POST or PUT writes, so that no change of a user is overwritten before it was reported. It compares three
 * values of each new property: the base (what was last reported or applied), the value that the system holds now, and the event's.
 */
final class Merge {
    /** The values to write. */
    final Map<String, Object> write = new LinkedHashMap<>();
    /** Properties that are not written, because the system holds a value that was not reported. */
    final List<String> kept = new ArrayList<>();
    /** The base after the event: kept properties have their former base, and none when `read` was outdated. */
    final Map<String, Object> base = new LinkedHashMap<>();

    private Merge() {}

    /**
     * @param base null: nothing is known about the record
     * @param local null: the system does not have the record
     * @param record the values of the event
     * @param changed the names of its new properties; null (an older server): all
     * @param read in a reconciliation, the values that take the place of the base; otherwise null
     */
    static Merge of(Map<String, Object> base, Map<String, Object> local, Map<String, Object> record,
            Collection<?> changed, Map<String, Object> read) {
        Merge merged = new Merge();
        Map<String, Object> known = base == null ? Map.of() : base;
        merged.base.putAll(known);
        if (local == null && base == null) {
            merged.write.putAll(record);
            merged.base.putAll(record);
            return merged;
        }
        for (Map.Entry<String, Object> each : record.entrySet()) {
            String name = each.getKey();
            if (changed != null && !changed.contains(name)) continue;
            boolean isRead = read != null && read.containsKey(name);
            if (local == null) {
                merged.kept.add(name);
            } else if (local.containsKey(name) && Objects.equals(local.get(name), each.getValue())) {
                merged.base.put(name, each.getValue());
            } else if (areEqual(isRead ? read : known, local, name)) {
                merged.write.put(name, each.getValue());
                merged.base.put(name, each.getValue());
            } else {
                merged.kept.add(name);
                if (isRead) merged.base.remove(name); // the value that stayed is reported again
            }
        }
        return merged;
    }

    /** Do both have the same value of the property, or both none? */
    static boolean areEqual(Map<String, Object> left, Map<String, Object> right, String name) {
        return left.containsKey(name) == right.containsKey(name) && Objects.equals(left.get(name), right.get(name));
    }

    /** The properties of a record whose values were not reported: they differ from the base. */
    static List<String> unreported(Map<String, Object> base, Map<String, Object> local) {
        Map<String, Object> known = base == null ? Map.of() : base;
        Set<String> names = new LinkedHashSet<>(known.keySet());
        names.addAll(local.keySet());
        return names.stream().filter(name -> !areEqual(known, local, name)).toList();
    }
}
