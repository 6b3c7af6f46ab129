import ArgumentParser
import Foundation
import LegacyStores
import TodanaDocuments

/// The command `todana-convert nanostore`.
struct NanoStoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nanostore",
    abstract: "Convert a database of NanoStore.",
    discussion: """
      The objects of each class become documents of a collection with the name of the class; those of NSFNanoObject go \
      to 'objects'. Keys, names of classes and times of the last save are kept. A key that is no UUID is kept in the \
      field 'nanoStoreKey'. Bags become bags with their names, keys and members.

      Examples:
        todana-convert nanostore --list Contacts.sqlite
        todana-convert nanostore Contacts.sqlite Contacts.todana --time-zone Europe/Berlin
      """)

  @Argument(help: "The file of NanoStore.", completion: .file()) var file: String
  @OptionGroup var target: TargetOptions
  @Option(help: ArgumentHelp("The collection for objects of NSFNanoObject.", valueName: "name"))
  var plainCollection = "objects"
  @Option(
    help: ArgumentHelp(
      "The time zone of the machine that wrote the file, which times of saves depend on; by default that of this one.",
      valueName: "name"))
  var timeZone: String?

  func run() throws {
    let reader: NanoStoreReader
    do {
      reader = try NanoStoreReader(path: file, timeZone: try zone())
    } catch let error as ValidationError {
      throw error
    } catch {
      throw CannotOpen(file, error)
    }
    if target.list {
      for (name, count) in try reader.classCounts() { print("\(printable(name))\t\(count)") }
      return
    }
    try target.withStore { store in
      let conversion = Conversion(store, quiet: target.quiet)
      let bags = BagWriter(conversion)
      do {
        try reader.forEachItem { try convert($0, conversion, bags) }
      } catch let error as LegacyError {
        // Objects before the damage are kept.
        conversion.fail(ObjectFailure("the rest of NSFKeys", error))
      }
      try bags.finish()
      try conversion.finish()
    }
  }

  private func zone() throws -> TimeZone {
    guard let timeZone else { return .current }
    guard let zone = TimeZone(identifier: timeZone) else {
      throw ValidationError("There is no time zone “\(timeZone)”; name one such as Europe/Berlin or UTC.")
    }
    return zone
  }

  private func convert(_ item: Result<NanoStoreItem, ObjectFailure>, _ conversion: Conversion, _ bags: BagWriter) throws
  {
    switch item {
    case .failure(let failure): conversion.fail(failure)
    case .success(.bag(let bag)): bags.add(bag)
    case .success(.object(let object)):
      let isPlain = object.className == NanoStoreObject.plainClassName
      let collection = isPlain ? plainCollection : object.className
      let key = UUID(uuidString: object.key)
      let document = try conversion.insert("object \(object.key)", into: collection) {
        var content = object.content
        if key == nil {
          conversion.note("object \(object.key): the key is no UUID, and is kept in the field nanoStoreKey")
          var fields = content.fields ?? DocumentDictionary()
          fields["nanoStoreKey"] = DocumentValue(object.key)
          content = DocumentValue(fields)
        }
        return try Document(
          content, key: key, originalClassName: isPlain ? nil : object.className, savedAt: object.savedAt)
      }
      if key == nil, let document { bags.note(object.key, document.key, in: collection) }
    }
  }
}
