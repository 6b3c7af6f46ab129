/// An ``Inverse``, without the type of its values.
protocol InverseProperty {
  /// The class of the objects that it finds.
  static var source: StoredObject.Type { get }
}
