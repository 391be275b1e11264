import ParleyProtocol
import Testing

@Suite("Names displayed inside other text")
struct NamesTests {
  @Test(
    "contain no characters that change the surrounding text",
    arguments: [
      0x00, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x85, 0x9b, 0x9f, 0x2028, 0x2029, 0x202a, 0x202b,
      0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
    ])
  func refused(scalar: UInt32) throws {
    let value = "a\\u\(String(scalar, radix: 16).padded)b"
    for (method, field, more) in Self.doors {
      try Case("\"\(field)\":\"\(value)\"", 400151, field).check(method, more)
    }
  }

  @Test(
    "may be in any script, with joiners, marks and variation selectors",
    arguments: [
      "👩\u{200d}👩\u{200d}👧", "❤\u{fe0f}", "🏴\u{e0067}\u{e0062}\u{e007f}", "نام\u{200c}ها",
      "C++\u{200e}",
      "אבג\u{200f}", "مرحبا", "Ünï", "e\u{301}", "\u{a0}", "", "日本",
    ])
  func allowed(name: String) throws {
    for (method, field, more) in Self.doors {
      try Case("\"\(field)\":\"\(name)\"").check(method, more)
    }
  }

  @Test(
    "a user ID contains no invisible characters",
    arguments: [
      0x00, 0x0a, 0x7f, 0x9b, 0xad, 0x061c, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028,
      0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff,
    ])
  func userIDs(scalar: UInt32) throws {
    let value = "a\\u\(String(scalar, radix: 16).padded)b"
    try Case("\"user_id\":\"\(value)\"", 400151, "user_id").check("session.open")
  }

  @Test(
    "a user ID may be in any script",
    arguments: ["日本", "مرحبا", "Ünï", "❤\u{fe0f}", "a b", "😀"])
  func visibleUserIDs(id: String) throws {
    try Case("\"user_id\":\"\(id)\"").check("session.open")
  }

  private static let doors = [
    ("session.open", "nickname", #""user_id":"u""#), ("user.update", "nickname", ""),
    ("channel.create", "name", ""), ("channel.update", "name", #""channel_url":"lobby""#),
  ]
}

extension String {
  fileprivate var padded: String { String(repeating: "0", count: 4 - count) + self }
}
