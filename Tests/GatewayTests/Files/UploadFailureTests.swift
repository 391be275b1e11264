import Foundation
import Glibc
import HTTP
import Reactor
import TestPeers
import TestSupport
import Testing

@Suite("Uploads on a failing disk", .onOwnThreads)
struct UploadFailureTests {
  private let kernel = ScriptedKernel()
  private let running: RunningGateway
  private let token: String

  init() throws {
    running = try kernel.run { try RunningGateway() }
    let path = running.directory.path + "/api-token"
    token = try String(contentsOfFile: path, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try call("users", #"{"user_id":"jeff","nickname":"Jeff"}"#)
    try call("open_channels", #"{"channel_url":"lobby"}"#)
  }

  private func call(_ path: String, _ body: String) throws {
    let answer = try HTTPAnswer(
      "POST", to: "/v3/" + path,
      fields: [("Api-Token", token), ("Content-Type", "application/json")],
      body: Array(body.utf8), over: StreamSocket(port: running.port))
    try #require(answer.status == 200, "\(answer.text)")
  }

  private func upload() throws -> HTTPAnswer {
    let form = FormUpload([UInt8](repeating: 7, count: 400_000))
    let stream = try StreamSocket(port: running.port)
    let head = form.head(to: "/v3/open_channels/lobby/messages", token: token)
    try stream.write(head + form.body, .standard)
    return try HTTPAnswer(reading: stream)
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: running.directory.path + "/" + folder)
  }

  @Test(
    "an upload that the disk refuses fails and leaves nothing, and the next one succeeds",
    arguments: [(SystemCall.write, ENOSPC), (.open, EMFILE), (.fsync, EIO)])
  func refuses(_ kind: SystemCall, _ code: Int32) throws {
    kernel.play { call in
      guard call.kind == kind else { return .pass }
      // Not the wake-ups of threads, which are writes of eight bytes; and not the first of the file.
      if kind == .write, call.count <= 8 || call.turn == 0 { return .pass }
      return .fail(code)
    }
    let answer = try upload()
    #expect(answer.status == (code == ENOSPC ? 507 : 500))
    #expect(
      answer.text.contains(code == ENOSPC ? "\"storage_full\"" : "the file can't be stored"))
    kernel.play { _ in .pass }
    #expect(try upload().status == 200)
    #expect(try names("uploads") == [])
    #expect(try names("files").count == 1)
  }
}
