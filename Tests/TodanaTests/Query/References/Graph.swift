import Todana

// Classes that refer to each other, for queries through references.

final class Take: StoredObject {
  var name = ""
  var number = 0
  var record: Recording?
  var mainLabel: Label?
  var extras: [Recording] = []
  var credit = Credit()

  /// Computed properties: of the object's own content, of one reference, and of two in a row.
  var shortName: String { String(name.prefix(1)) }
  var recordName: String { record?.name ?? "none" }
  var labelName: String? { record?.label?.name }

  override class var fields: [Field] {
    [
      Field("name", \Take.name), Field("record.name", \Take.record?.name),
      Field("label.name", \Take.record?.label?.name), Field("recordName", \Take.recordName, loading: \.record),
      Field("undeclared", \Take.recordName),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    number = try buffer.readInt()
    record = try buffer.readReference(Recording.self)
    mainLabel = try buffer.readReference(Label.self)
    extras = try buffer.readReferences(Recording.self)
    credit = Credit(text: try buffer.readString(), label: try buffer.readReference(Label.self))
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeInt(number)
    buffer.writeReference(record)
    buffer.writeReference(mainLabel)
    buffer.writeReferences(extras)
    buffer.writeString(credit.text)
    buffer.writeReference(credit.label)
  }
}

struct Credit {
  var text = ""
  var label: Label?
  var labelName: String? { label?.name }
}

final class Recording: StoredObject {
  var name = "default"
  var price = -1
  var label: Label?

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    price = try buffer.readInt()
    label = try buffer.readReference(Label.self)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeInt(price)
    buffer.writeReference(label)
  }
}

final class Label: StoredObject {
  var name = "default"

  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

/// A class that can have subclasses; its key paths use accessors.
class Medium: StoredObject {
  enum Form: String, OrderedValue { case disc, tape }

  var name = ""
  var form = Form.disc
  @Loaded var length = 0
  var watched = 0 { didSet { changeCount += 1 } }
  var changeCount = 0
  var label: Label?
  var nameAndForm: String { name + form.rawValue }
  /// A settable property that reads another object.
  var labelName: String {
    get { label?.name ?? "" }
    set { label?.name = newValue }
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    form = try buffer.readRawValue()
    length = try buffer.readInt()
    watched = try buffer.readInt()
    label = try buffer.readReference(Label.self)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeRawValue(form)
    buffer.writeInt(length)
    buffer.writeInt(watched)
    buffer.writeReference(label)
  }
}
