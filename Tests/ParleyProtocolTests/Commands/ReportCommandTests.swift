import ParleyProtocol
import Testing

@Suite("Calls that report something")
struct ReportCommandTests {
  private func draft(_ method: String, _ members: String) throws -> AbuseReportDraft {
    let params = try JSONDocument("{\"channel_url\":\"lobby\",\(members)}").root
    guard case .report(let draft) = try Command(method: method, params: params) else {
      throw ServiceError.internalError
    }
    return draft
  }

  private func code(_ method: String, _ members: String) -> ErrorCode? {
    do {
      _ = try draft(method, members)
      return nil
    } catch { return (error as? ServiceError)?.code }
  }

  @Test("the method decides what is reported")
  func subjects() throws {
    let spam = AbuseReportReason(.spam)
    #expect(
      try draft("message.report", #""message_id":7,"category":"spam""#)
        == AbuseReportDraft(channelURL: "lobby", .message(7), spam))
    #expect(
      try draft("user.report", #""user_id":"ann","category":"spam""#)
        == AbuseReportDraft(channelURL: "lobby", .user("ann"), spam))
    #expect(
      try draft("channel.report", #""category":"spam","description":"why""#)
        == AbuseReportDraft(
          channelURL: "lobby", .channel, AbuseReportReason(.spam, description: "why")))
  }

  @Test("each category is known, and a custom one has a name")
  func categories() throws {
    for category in AbuseReportCategory.allCases where category != .custom {
      #expect(
        try draft("channel.report", #""category":"\#(category.rawValue)","custom_category":"""#)
          .reason == AbuseReportReason(category))
    }
    #expect(
      try draft("channel.report", #""category":"custom","custom_category":"off topic""#).reason
        == AbuseReportReason(.custom, customCategory: "off topic"))
  }

  @Test(
    "wrong values are refused",
    arguments: [
      ("channel.report", #""category":"boring""#, ErrorCode.invalidValue),
      ("channel.report", #""category":1"#, .stringExpected),
      ("channel.report", #""description":"x""#, .missingParameter),
      ("channel.report", #""category":"custom""#, .missingParameter),
      ("channel.report", #""category":"spam","custom_category":"x""#, .combinationNotAcceptable),
      ("channel.report", #""category":"custom","custom_category":"a\nb""#, .characterNotAllowed),
      ("channel.report", #""category":"spam","description":"a\u0000b""#, .characterNotAllowed),
      ("message.report", #""category":"spam""#, .missingParameter),
      ("message.report", #""category":"spam","message_id":0"#, .outOfRange),
      ("user.report", #""category":"spam""#, .missingParameter),
    ])
  func refusals(_ method: String, _ members: String, _ expected: ErrorCode) {
    #expect(code(method, members) == expected)
  }

  @Test("names and descriptions have their greatest lengths")
  func lengths() {
    for (count, expected) in [(50, nil), (51, ErrorCode.tooLong)] {
      let name = String(repeating: "ö", count: count)
      #expect(
        code("channel.report", #""category":"custom","custom_category":"\#(name)""#) == expected)
    }
    for (count, expected) in [(1_000, nil), (1_001, ErrorCode.tooLong)] {
      let words = String(repeating: "ö", count: count)
      #expect(code("channel.report", #""category":"spam","description":"\#(words)""#) == expected)
    }
  }
}
