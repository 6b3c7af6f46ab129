/// How content is made smaller.
public enum Compression: Sendable, Equatable {
  case none
  /// Levels 1 to 19.
  case zstd(level: Int)
  /// Levels 1 to 9.
  case zlib(level: Int)

  public static let standard = Compression.zstd(level: 3)

  /// From `none`, `zstd`, `zstd:LEVEL`, `zlib` or `zlib:LEVEL`.
  ///
  /// - Throws: ``ArchiveError/Code/invalidArgument``.
  public init(_ text: String) throws(ArchiveError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let level = parts.count > 1 ? Int(parts[1]) : nil
    switch (parts[0], parts.count) {
    case ("none", 1): self = .none
    case ("zstd", 1): self = .standard
    case ("zlib", 1): self = .zlib(level: 6)
    case ("zstd", _):
      guard let level, (1...19).contains(level) else { throw Self.refusal(text, "zstd has the levels 1 to 19") }
      self = .zstd(level: level)
    case ("zlib", _):
      guard let level, (1...9).contains(level) else { throw Self.refusal(text, "zlib has the levels 1 to 9") }
      self = .zlib(level: level)
    default: throw Self.refusal(text, "there are none, zstd and zlib")
    }
  }

  private static func refusal(_ text: String, _ reason: String) -> ArchiveError {
    ArchiveError(.invalidArgument, "\"\(text)\" is no compression: \(reason), for example zstd:3.")
  }
}

extension Compression: CustomStringConvertible {
  /// As ``init(_:)`` reads it.
  public var description: String {
    switch self {
    case .none: "none"
    case .zstd(let level): "zstd:\(level)"
    case .zlib(let level): "zlib:\(level)"
    }
  }
}

/// What a stored piece of content was made smaller by; the raw values are part of the format.
enum CompressionMethod: UInt8 {
  case none = 0
  case zstd = 1
  case zlib = 2
}
