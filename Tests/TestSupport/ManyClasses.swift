public import Todana

/// A source of any number of classes: one for each sequence of binary digits.
public enum ManyClasses {
  public static func list(_ count: Int) -> [StoredObject.Type] { Array(End.classes(count).prefix(count)) }
}

private protocol Digits { static func classes(_ count: Int) -> [StoredObject.Type] }

private enum End: Digits {
  static func classes(_ count: Int) -> [StoredObject.Type] { grow(End.self, count) }
}

private final class Zero<Rest: Digits>: StoredObject, Digits {
  static func classes(_ count: Int) -> [StoredObject.Type] { [Zero.self] + grow(Zero.self, count - 1) }
}

private final class One<Rest: Digits>: StoredObject, Digits {
  static func classes(_ count: Int) -> [StoredObject.Type] { [One.self] + grow(One.self, count - 1) }
}

private func grow<D: Digits>(_ digits: D.Type, _ count: Int) -> [StoredObject.Type] {
  if count <= 0 { return [] }
  let half = (count + 1) / 2
  return Zero<D>.classes(half) + One<D>.classes(count - half)
}
