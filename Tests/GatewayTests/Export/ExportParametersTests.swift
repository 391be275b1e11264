import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Parameters of exports")
struct ExportParametersTests {
  private func parameters(
    _ body: String, of subject: ExportParameters.Subject = .messages
  ) throws -> ExportParameters {
    try ExportParameters(subject, Fields(body: Array(body.utf8)))
  }

  @Test(
    "parameters survive being stored",
    arguments: [
      (
        "{}", ExportParameters.Subject.messages
      ),
      (
        #"{"start_ts":1,"end_ts":1,"format":"csv","csv_delimiter":"\t","timezone":"-03:30","channel_urls":["room"],"exclude_channel_urls":["hall"],"sender_ids":["ann"],"exclude_sender_ids":["=bob"]}"#,
        .messages
      ),
      (#"{"user_ids":["ann","bob"],"format":"csv"}"#, .users),
      (#"{"show_read_receipt":true,"show_channel_metadata":false}"#, .channels),
    ])
  func storing(_ body: String, _ subject: ExportParameters.Subject) throws {
    let parameters = try parameters(body, of: subject)
    #expect(ExportParameters(subject.rawValue, params: parameters.json) == parameters)
  }

  @Test(
    "wrong parameters are named",
    arguments: [
      (#"{"start_ts":2,"end_ts":1}"#, "end_ts"), (#"{"format":"xml"}"#, "format"),
      (#"{"csv_delimiter":""}"#, "csv_delimiter"), (#"{"csv_delimiter":"\n"}"#, "csv_delimiter"),
      (#"{"timezone":"+9:00"}"#, "timezone"), (#"{"timezone":"+00:60"}"#, "timezone"),
      (#"{"timezone":"+15:00"}"#, "timezone"), (#"{"timezone":"Asia/Seoul"}"#, "timezone"),
      (#"{"user_ids":["ann"]}"#, "user_ids"),
    ])
  func refusals(_ body: String, _ name: String) {
    let error = #expect(throws: ServiceError.self) { try parameters(body) }
    #expect(error?.code == .invalidValue && error?.data.field == name)
  }

  @Test("a store's text of another version is no export")
  func foreignText() {
    #expect(ExportParameters("files", params: "{}") == nil)
    #expect(ExportParameters("messages", params: "[]") == nil)
  }
}
