extension StoreBackend {
  public var keyRing: KeyRing? { nil }
  public var keyManagement: (any KeyManagement)? { nil }
}
