extension Store {
  /// Checks that the declarations of a class agree, with an object that is being saved.
  @inline(never)
  func checkDeclarations(of table: ClassTable, with object: StoredObject) {
    DeclarationCheck.check(object, of: table, in: self)
  }
}
