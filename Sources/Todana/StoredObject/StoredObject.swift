/// Stands in for the base class of what is saved, until that class is there; a buffer needs no more of it than this.
open class StoredObject {
  public required init() {}
}
