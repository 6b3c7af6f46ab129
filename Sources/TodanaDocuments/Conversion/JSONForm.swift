/// The way in which JSON expresses values for which it has no form of its own.
///
/// | value | extended | plain |
/// |---|---|---|
/// | date | `{"$date": "2026-11-30T08:15:21.5Z"}` | `"2026-11-30T08:15:21.5Z"` |
/// | UUID | `{"$uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}` | the text alone |
/// | bytes | `{"$bytes": "AAEC"}` (Base64) | the text alone |
/// | NaN, infinities | `{"$double": "NaN"}`, `"Infinity"`, `"-Infinity"` | an error |
/// | dictionary with such a key alone | one more dollar sign: `{"$$date": 1}` | the key as it is |
///
/// A date of a year outside of 1 to 9999, or with a fraction that no such text has exactly, is a number: the seconds
/// since 2001-01-01 in UTC. In both forms an integer has no decimal point, and a floating-point number has one or an
/// exponent. The value of `$double` may be the text of any number.
public enum JSONForm: Sendable {
  /// All values are restored as they were.
  case extended
  /// JSON as other programs write and expect it. Texts stay texts when they are read.
  case plain
}
