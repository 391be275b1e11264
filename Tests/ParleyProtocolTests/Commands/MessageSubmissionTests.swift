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

  @Test("a file message has a URL, and need not have a text")
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

  @Test("texts have 5,000 characters, admin messages 1,000")
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
