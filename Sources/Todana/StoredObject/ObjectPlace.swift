/// An object's state, and its place in the table of its class, packed into one word.
///
/// There may be millions of objects. The middle bits are the page's address, the bits above it the slot, and the bits
/// below it the state (``IdentityPage``).
@safe
struct ObjectPlace {
  private static let stateMask: UInt = UInt(IdentityPage.alignment) - 1
  private static let pageMask: UInt = (1 << IdentityPage.addressBitCount) - 1 - stateMask

  private var word: UInt = 0

  /// Creates the place of an object outside any store.
  init() {}

  var state: ObjectState {
    @inline(__always) get { ObjectState(rawValue: UInt8(truncatingIfNeeded: word & Self.stateMask)) }
    @inline(__always) set { word = (word & ~Self.stateMask) | UInt(newValue.rawValue) }
  }

  /// The page that has the object's entry; nil outside a store.
  var page: IdentityPage? {
    @inline(__always) get { IdentityPage(bitPattern: word & Self.pageMask) }
  }

  /// The slot of the object's entry in its page.
  var slot: Int {
    @inline(__always) get { Int(truncatingIfNeeded: word &>> IdentityPage.addressBitCount) }
  }

  /// Sets page and slot, and keeps the state.
  @inline(__always)
  mutating func move(to page: IdentityPage, slot: Int) {
    word = (word & Self.stateMask) | page.bitPattern | (UInt(truncatingIfNeeded: slot) &<< IdentityPage.addressBitCount)
  }

  /// Clears page and slot, and keeps the state.
  mutating func leave() { word &= Self.stateMask }
}

extension StoredObject {
  final var state: ObjectState {
    @inline(__always) get { place.state }
    @inline(__always) set { place.state = newValue }
  }

  /// The table of the object's class in its store; nil outside a store.
  final var table: ClassTable? {
    @inline(__always) get { place.page?.table }
  }

  /// The row within the class; 0 outside a store.
  final var rowID: RowID {
    @inline(__always) get { place.page.map { $0.firstRowID + RowID(place.slot) } ?? 0 }
  }

  /// The token of the record that the content was read from or saved to.
  final var token: UInt64 {
    @inline(__always) get { state.isPending ? pendingToken : tokenOrIndex }
    @inline(__always) set { if state.isPending { pendingToken = newValue } else { tokenOrIndex = newValue } }
  }

  @inline(never)
  private final var pendingToken: UInt64 {
    get { table?.pending[tokenOf: self] ?? 0 }
    set { table?.pending[tokenOf: self] = newValue }
  }
}
