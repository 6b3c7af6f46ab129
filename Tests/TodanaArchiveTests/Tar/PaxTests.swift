import Testing

@testable import TodanaArchive

/// Tests of the parts of a pax header.
@Suite struct PaxTests {
  @Test func `the length of a record includes its own digits`() {
    var records = PaxRecords()
    for count in [0, 1, 80, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 989, 990, 991, 992, 9990] {
      records.append("key", [UInt8](repeating: 0x3D, count: count))
    }
    #expect(PaxRecords(records.bytes) == records)
    #expect(PaxRecords(Array("9 a=12345\n".utf8)).records.isEmpty)
    #expect(PaxRecords(Array("8 a=123\n9 b=\n4\n5\n9 a=1234".utf8))["a"] == Array("123".utf8))
  }

  @Test(arguments: [
    "", "x", "5", "-5 a=b\n", "0 a=b\n", "3 =\n", "99999999999999999999 a=b\n", "6 abc\n", "6 a=b", "7 a=b\n",
  ])
  func `text that is no record is skipped`(text: String) {
    #expect(PaxRecords(Array(text.utf8)).records.isEmpty)
  }

  @Test func `times are decimal numbers`() {
    for (time, text) in [
      (FileTime(seconds: -2, nanoseconds: 500_000_000), "-1.500000000"),
      (FileTime(seconds: -1, nanoseconds: 999_999_999), "-0.000000001"), (FileTime(seconds: 3), "3"),
      (FileTime(seconds: 0, nanoseconds: 12), "0.000000012"), (FileTime(seconds: -7), "-7"),
    ] {
      #expect(PaxTime.text(of: time) == Array(text.utf8))
      #expect(PaxTime.time(of: Array(text.utf8)) == time)
    }
    #expect(PaxTime.time(of: Array("1.5".utf8)) == FileTime(seconds: 1, nanoseconds: 500_000_000))
    #expect(PaxTime.time(of: Array("1.1234567899".utf8)) == FileTime(seconds: 1, nanoseconds: 123_456_789))
    for text in ["", "-", ".", ".5", "1e5", "0x1", "+1", "--1", "1.-1", "99999999999999999999", " 1"] {
      #expect(PaxTime.time(of: Array(text.utf8)) == nil)
    }
  }

  @Test func `names of attributes are encoded as GNU tar does, and decoded as others do`() {
    for name in ["user.a", "user.a=b", "user.100%", "user.%41", "user.é", "user.%%=="] {
      #expect(PaxAttributes.name(of: PaxAttributes.key(of: Array(name.utf8))) == Array(name.utf8))
    }
    #expect(PaxAttributes.key(of: Array("user.=%".utf8)) == Array("SCHILY.xattr.user.%3D%25".utf8))
    #expect(PaxAttributes.name(of: Array("SCHILY.xattr.user.%C3%A9%+1%".utf8)) == Array("user.é%+1%".utf8))
    #expect(PaxAttributes.name(of: Array("SCHILY.acl.access".utf8)) == nil)
    #expect(PaxAttributes.name(of: Array("SCHILY.xattr.user.%00".utf8)) == Array("user.%00".utf8))
  }

  private static let listText = "user::rw-,user:1000:r--,group::r--,mask::r--,other::---"

  @Test func `access control lists are text in a tar`() throws {
    let list = try #require(AccessControlList(attribute: TortureTree.accessControlList))
    #expect(String(decoding: list.text, as: UTF8.self) == Self.listText)
    #expect(list.attribute == TortureTree.accessControlList)
    #expect(list.permissions == 0o640)
  }

  @Test(arguments: [
    listText, "user::rw-\nuser:1000:r-- # a comment\ngroup::r--\nmask::r--\nother::---\n",
    "u::rw-,u:nobody-has-this-name:r--:1000,g::r--,m::r--,o::---", "other:---,mask:r--,group::r--,user:1000:r,user::rw",
  ])
  func `access control lists of other programs are parsed`(text: String) {
    let list = AccessControlList(text: Array(text.utf8), owners: OwnerNames())
    #expect(list?.attribute == TortureTree.accessControlList)
  }

  @Test(arguments: [
    "", ",", "user", "user::rwz", "what::rwx", "user:nobody-has-this-name:r--", "mask:5:rwx", "user:0::",
  ])
  func `text that is no access control list is refused`(text: String) {
    // The last text is a valid list, of a user without permissions.
    let list = AccessControlList(text: Array(text.utf8), owners: OwnerNames())
    #expect((list == nil) == (text != "user:0::"))
  }

  @Test func `an attribute that is no valid access control list is not converted`() throws {
    var value = TortureTree.accessControlList
    for change in [0, 5, 7, 8] {
      value[change] ^= 0x80
      #expect(AccessControlList(attribute: value) == nil)
      value[change] ^= 0x80
    }
    #expect(AccessControlList(attribute: Array(value.dropLast())) == nil)
    #expect(AccessControlList(attribute: [2, 0, 0, 0]) == nil)
  }
}
