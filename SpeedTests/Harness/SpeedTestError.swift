/// Why a speed test ended early, with the exit status it ends with.
public enum SpeedTestError: Error, CustomStringConvertible, Equatable {
  /// An argument is wrong.
  case wrongUse(String)
  /// A subject read something other than what was put in.
  case wrongResult(String)
  /// A child process failed, or a system call did.
  case failed(String)

  public var exitStatus: Int32 {
    switch self {
    case .wrongUse: 2
    case .wrongResult: 1
    case .failed: 4
    }
  }

  public var description: String {
    switch self {
    case .wrongUse(let message), .wrongResult(let message), .failed(let message): message
    }
  }
}
