/// The reason why a speed test ended early, with its exit status.
public enum SpeedTestError: Error, CustomStringConvertible, Equatable {
  /// An argument is wrong.
  case wrongUse(String)
  /// A subject read wrong data.
  case wrongResult(String)
  /// A child process or a system call failed.
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
