internal import CFileSystem

/// Memory of the whole process, which a program decides about, and a library does not.
public enum ProcessMemory {
  /// From now on, large pieces of memory go back to the system when they are freed.
  ///
  /// Otherwise the C library may keep tens of megabytes for each thread.
  public static func returnFreedMemory() { tdf_return_freed_memory() }
}
