@main struct CrashChild {
  static func main() {}
}
