extension StringProtocol {
  /// As names and patterns have it.
  var bytes: [UInt8] { Array(utf8) }
}
