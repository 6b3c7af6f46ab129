package import TodanaDocuments

/// The settings of a collection of NTJsonStore.
package struct NTJsonCollectionSettings: Sendable {
  /// The name in lower case, which the library compares.
  package let name: String
  /// The name of the table.
  let table: String
  package var indexes: [NTJsonIndex] = []
  /// The values that count in queries for missing ones; nil if there are none.
  package var defaults: DocumentValue?
  /// The words that stand for parts of queries.
  package var aliases: [String: String] = [:]
}

/// An index of a collection.
package struct NTJsonIndex: Sendable, Equatable {
  /// The fields as they were given: `[last_name], [age] DESC`.
  package let fields: String
  package let isUnique: Bool

  init(fields: String, isUnique: Bool) {
    self.fields = fields
    self.isUnique = isUnique
  }

  /// Reads the statement that has made an index: `CREATE UNIQUE INDEX [UX_users_0] ON [users] ([email]);`.
  init?(sql: String) {
    guard
      let match = sql.wholeMatch(of: #/(?i)CREATE (UNIQUE )?INDEX \[.*?\] ON \[.*?\] \((.*)\);?/#.dotMatchesNewlines())
    else { return nil }
    self.init(fields: String(match.2), isUnique: match.1 != nil)
  }
}
