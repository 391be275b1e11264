import Testing

@testable import ParleyProtocol

@Suite("Messages over the Platform API")
struct MessageSubmissionTests {
  private func submission(_ json: String) throws -> MessageSubmission {
    try MessageSubmission(Fields(JSONDocument(json).root))
  }

  private func code(_ json: String) -> ErrorCode? {
    do { _ = try submission(json) } catch { return (error as? ServiceError)?.code }
    return nil
  }

  @Test("a user message names its author, an admin message has none")
  func authors() throws {
    let user = try submission(
      #"{"message_type":"MESG","user_id":"jeff","message":"hi","dedup_id":"1"}"#)
    #expect(user.userID == "jeff")
    #expect(user.requestID == "1")
    #expect(user.draft == MessageDraft(text: "hi"))
    let admin = try submission(
      #"{"message_type":"ADMM","user_id":"jeff","message":"hi","dedup_id":""}"#)
    #expect(admin.userID == nil)
    #expect(admin.requestID == nil)
    #expect(admin.draft.type == .admin)
    #expect(code(#"{"message_type":"MESG","message":"hi"}"#) == .missingParameter)
    #expect(code(#"{"user_id":"jeff","message":"hi"}"#) == .missingParameter)
  }

  @Test("a file message has a URL, and needs no text")
  func files() throws {
    let file = try submission(
      #"{"message_type":"FILE","user_id":"jeff","url":"https://a.b","file_size":3}"#)
    #expect(file.draft.file == MessageFile(url: "https://a.b", size: 3))
    #expect(file.draft.text == "")
    #expect(code(#"{"message_type":"FILE","user_id":"jeff"}"#) == .missingParameter)
    #expect(code(#"{"message_type":"FILE","user_id":"jeff","url":"ftp://a"}"#) == .invalidValue)
    #expect(
      code(#"{"message_type":"FILE","user_id":"jeff","url":"https://a","file_size":-1}"#)
        == .negativeNumber)
  }

  private func error(_ members: String, type: String = "MESG") -> ServiceError? {
    let json =
      #"{"message_type":"\#(type)","user_id":"jeff","message":"x","url":"https://a.b",\#(members)}"#
    do { _ = try submission(json) } catch { return error as? ServiceError }
    return nil
  }

  @Test("a time in milliseconds imports a past message; seconds are refused")
  func times() throws {
    let past = try submission(
      #"{"message_type":"ADMM","message":"x","created_at":1546300800000}"#)
    #expect(past.createdAt == 1_546_300_800_000)
    #expect(try submission(#"{"message_type":"ADMM","message":"x"}"#).createdAt == nil)
    for (value, code) in [
      ("1546300800", ErrorCode.outOfRange), ("0", .outOfRange), ("-1", .negativeNumber),
      ("1.5", .invalidValue), (#""1546300800000""#, .numberExpected), ("1e300", .outOfRange),
    ] {
      let refused = error(#""created_at":\#(value)"#)
      #expect(refused?.code == code && refused?.data.field == "created_at", "\(value)")
    }
  }

  @Test("a past message cannot wait for translations or thumbnails")
  func additionsToThePast() {
    let time = #""created_at":1546300800000,"#
    let languages = error(time + #""translation_target_langs":["es"]"#)
    #expect(languages?.code == .combinationNotAcceptable)
    #expect(languages?.data.field == "translation_target_langs")
    let sizes = error(
      time + #""thumbnail_sizes":[{"max_width":9,"max_height":9}]"#, type: "FILE")
    #expect(sizes?.code == .combinationNotAcceptable && sizes?.data.field == "thumbnail_sizes")
    #expect(error(time + #""translation_target_langs":[],"thumbnail_sizes":[]"#) == nil)
  }

  @Test(
    "documented but unsupported members are refused by name",
    arguments: [
      ("poll_id", "7"), ("parent_message_id", "7"),
      ("is_reply_to_channel", "true"), ("files", #"[{"url":"https://a.b"}]"#),
      ("thumbnails", #"["https://a.b"]"#), ("poll_id", #""seven""#), ("files", #"{"url":"x"}"#),
    ])
  func unsupported(name: String, value: String) {
    let refused = error(#""\#(name)":\#(value)"#)
    #expect(refused?.code == .invalidValue && refused?.data.field == name)
    #expect(refused?.message.contains("'\(name)'") == true)
  }

  @Test("such members are accepted when they have no effect, as are members for push and reading")
  func withoutEffect() {
    for name in UnsupportedMember.ofMessages.map(\.name) {
      for value in ["null", "false", "0", "\"\"", "[]", "{}"] {
        #expect(error(#""\#(name)":\#(value)"#) == nil, "\(name) \(value)")
      }
    }
    for name in ["is_silent", "send_push", "mark_as_read"] {
      #expect(error(#""\#(name)":0"#)?.code == .booleanExpected)
    }
    let members = [
      #""send_push":true"#, #""send_push":false"#, #""mark_as_read":false"#, #""sound":"default""#,
      #""volume":1.5"#, #""apns_bundle_id":"a""#, #""apple_critical_alert_options":{"a":1}"#,
      #""push_message_template":{"title":"x","body":"y"}"#, #""include_poll_details":true"#,
    ]
    for member in members { #expect(error(member) == nil, "\(member)") }
  }

  @Test("a message counts and moves its author's position unless it says otherwise")
  func counting() throws {
    let user = #"{"message_type":"MESG","user_id":"jeff","message":"x""#
    let plain = try submission(user + "}").draft
    #expect(!plain.isSilent && plain.marksAsRead)
    let quiet = try submission(user + #","is_silent":true,"mark_as_read":false}"#).draft
    #expect(quiet.isSilent && !quiet.marksAsRead)
  }

  @Test("messages of users are pushed by default, admin messages only on request")
  func pushes() throws {
    let (user, admin) = (
      #"{"message_type":"MESG","user_id":"jeff","message":"x""#,
      #"{"message_type":"ADMM","message":"x""#
    )
    func push(_ json: String) throws -> PushIntent? { try submission(json + "}").draft.pushes }
    #expect(try push(user) == .plain && push(admin) == nil)
    #expect(try push(user + #","send_push":false"#) == nil)
    #expect(try push(admin + #","send_push":true"#) == .plain)
    let template = #","push_message_template":{"title":"t","body":"b"}"#
    let shaped = PushIntent.shaped(PushMessageTemplate(title: "t", body: "b"))
    #expect(try push(user + template) == shaped && push(admin + template) == nil)
    #expect(try push(admin + template + #","send_push":true"#) == shaped)
    #expect(
      try push(user + #","push_message_template":{"title":"t"}"#)
        == .shaped(PushMessageTemplate(title: "t")))
    for value in ["5", "[]", #"{"title":5}"#, #"{"body":[]}"#] {
      #expect(error(#""push_message_template":\#(value)"#) != nil, "\(value)")
    }
  }

  @Test("a form is read like JSON")
  func forms() throws {
    var form = [
      "message_type": ["MESG"], "user_id": ["jeff"], "message": ["x"],
      "created_at": ["1546300800000"], "is_silent": ["false"], "files": [""],
    ]
    #expect(try MessageSubmission(Fields(form: form)).createdAt == 1_546_300_800_000)
    form["poll_id"] = ["7"]
    #expect(throws: ServiceError.self) { try MessageSubmission(Fields(form: form)) }
    for name in UnsupportedMember.ofMessages.map(\.name) + ["created_at"] {
      #expect(MessageSubmission.fieldNames.contains(name))
    }
  }

  @Test("texts have at most 5,000 characters, admin messages 1,000")
  func lengths() {
    func json(_ type: String, _ count: Int) -> String {
      let text = String(repeating: "ä", count: count)
      return #"{"message_type":"\#(type)","user_id":"jeff","message":"\#(text)"}"#
    }
    #expect(code(json("MESG", 5000)) == nil)
    #expect(code(json("MESG", 5001)) == .tooLong)
    #expect(code(json("ADMM", 1000)) == nil)
    #expect(code(json("ADMM", 1001)) == .tooLong)
  }
}
