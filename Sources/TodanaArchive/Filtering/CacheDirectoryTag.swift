/// The file that says that what lies beside it can be made again, and need not be kept.
///
/// Source: the Cache Directory Tagging Specification, https://bford.info/cachedir/.
public enum CacheDirectoryTag {
  /// The name that it has.
  public static let fileName = Array("CACHEDIR.TAG".utf8)

  /// What it begins with; how many bytes of it have to be read.
  public static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)

  /// Whether a regular file of that name with such a beginning is a tag.
  public static func isTag(beginningWith bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }
}
