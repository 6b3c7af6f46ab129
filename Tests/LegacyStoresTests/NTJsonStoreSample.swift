/// A database with the schema of NTJsonStore.
enum NTJsonStoreSample {
  static func make(_ path: String) throws {
    try SQLiteSample.run(
      [
        "CREATE TABLE [users] ([__rowid__] INTEGER PRIMARY KEY AUTOINCREMENT, [__json__] BLOB);",
        "ALTER TABLE [users] ADD COLUMN [last_name];", "ALTER TABLE [users] ADD COLUMN [age];",
        "ALTER TABLE [users] ADD COLUMN [email];",
        "CREATE INDEX [IX_users_0] ON [users] ([last_name], [age] DESC);",
        "CREATE UNIQUE INDEX [UX_users_1] ON [users] ([email]);",
        "CREATE TABLE [Empty] ([__rowid__] INTEGER PRIMARY KEY AUTOINCREMENT, [__json__] BLOB);",
        "CREATE TABLE [NTJsonStore_metadata] ([key] TEXT, [value] BLOB);",
        "INSERT INTO users(__json__, last_name, age, email) VALUES "
          + "(CAST('{\"last_name\":\"Doe\",\"age\":41,\"email\":\"j@foo.com\"}' AS BLOB), 'Doe', 41, 'j@foo.com')",
        "INSERT INTO users(__rowid__, __json__, last_name, email) VALUES (3, CAST('{\"__rowid__\":3,\"last_name\":\"Smith\","
          + "\"email\":\"b@foo.com\",\"date\":{\"$date\":\"x\"}}' AS BLOB), 'Smith', 'b@foo.com')",
        "INSERT INTO NTJsonStore_metadata VALUES "
          + "('users/defaultJson', '{\"active\":true,\"address\":{\"country\":\"US\"}}'), "
          + "('users/aliases', '{\"country\":\"[address.country]\"}'), ('schema', '{\"version\":3}'), ('a/b', '{}')",
      ], on: path)
  }
}
