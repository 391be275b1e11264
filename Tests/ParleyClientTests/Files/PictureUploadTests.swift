import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import ParleyClient

@Suite("The picture of a channel or user", .onOwnThreads)
struct PictureUploadTests {
  /// The requests of a client, and the bytes that it uploads.
  private final class Seen: Sendable {
    let calls = Mutex<[String]>([])
    let upload = Mutex<[UInt8]>([])
    let port = Mutex<UInt16>(0)

    func next(of peer: WebSocketPeer, _ member: String) throws -> String {
      let request = try peer.nextRequest()
      calls.withLock { $0.append("\(request.method) \(request.params[member]?.string ?? "")") }
      return request.id
    }
  }

  /// A server that takes an upload, and answers the call that follows it.
  private func server(_ seen: Seen, member: String, result: String) throws -> ScriptedServer {
    let server = try ScriptedServer { socket, number in
      guard number == 0 else { return try take(socket, seen) }
      let peer = try WebSocketPeer(admitting: socket)
      let create = try seen.next(of: peer, "type")
      let address = "http://127.0.0.1:\(seen.port.withLock { $0 })/v1/uploads/secret"
      try peer.send(Self.created(create, at: address))
      let call = try seen.next(of: peer, member)
      try peer.send(#"{"jsonrpc":"2.0","id":\#(call),"result":\#(result)}"#)
      _ = try peer.closeCode()
    }
    seen.port.withLock { $0 = server.port }
    return server
  }

  private static func created(_ id: String, at address: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":{"file":{"file_id":"f1"},"upload_url":"\#(address)"}}"#
  }

  private func take(_ socket: StreamSocket, _ seen: Seen) throws {
    var request: [UInt8] = []
    // Three bytes after the head.
    while !String(decoding: request.dropLast(3), as: UTF8.self).hasSuffix("\r\n\r\n") {
      let bytes = try socket.read(.standard)
      guard !bytes.isEmpty else { throw TestFailure("the request has no end") }
      request += bytes
    }
    seen.upload.withLock { $0 = Array(request.suffix(3)) }
    let answer = "HTTP/1.1 204 No Content\r\nUpload-Offset: 3\r\nConnection: close\r\n\r\n"
    try socket.write(Array(answer.utf8), .standard)
  }

  @Test("is uploaded before a channel is created with it")
  func cover() async throws {
    let seen = Seen()
    let server = try server(
      seen, member: "cover_file_id", result: #"{"channel":\#(Sample.channel())}"#)
    defer { server.stop() }
    let client = try await server.client()
    let params = OpenChannelCreateParams(name: "Lobby")
    params.coverImage = .bytes([1, 2, 3])
    #expect(try await client.createOpenChannel(params: params).name == "Lobby")
    #expect(seen.calls.withLock { $0 } == ["file.create ", "channel.create f1"])
    #expect(seen.upload.withLock { $0 } == [1, 2, 3])
  }

  @Test("is uploaded before the user changes, also with a completion handler")
  func profile() async throws {
    let seen = Seen()
    let server = try server(seen, member: "profile_file_id", result: #"{"user":\#(Sample.user)}"#)
    defer { server.stop() }
    let client = try await server.client()
    let params = UserUpdateParams()
    params.profileImage = .bytes([7, 8, 9])
    let user = await withCheckedContinuation { waiter in
      client.updateCurrentUser(params: params) { user, _ in waiter.resume(returning: user) }
      // The call has its values of the moment.
      params.profileImage = nil
    }
    #expect(user?.userID == "jeff")
    #expect(seen.calls.withLock { $0 } == ["file.create ", "user.update f1"])
    #expect(seen.upload.withLock { $0 } == [7, 8, 9])
  }

  @Test("leaves no upload when it fails")
  func failing() async throws {
    let seen = Seen()
    let server = try ScriptedServer { socket, number in
      guard number == 0 else { return }
      let peer = try WebSocketPeer(admitting: socket)
      let create = try seen.next(of: peer, "type")
      try peer.send(Self.created(create, at: "no address"))
      _ = try seen.next(of: peer, "file_id")
      _ = try peer.closeCode()
    }
    defer { server.stop() }
    let client = try await server.client()
    let params = OpenChannelUpdateParams()
    params.coverImage = .bytes([1])
    let lobby = try client.core.enteredChannel()
    await #expect(throws: ParleyError.malformedAnswer("'upload_url' can't be used")) {
      try await lobby.update(params: params)
    }
    try await Deadline.standard.wait(for: "the end of the upload") {
      seen.calls.withLock { $0 } == ["file.create ", "file.cancel f1"]
    }
  }

  @Test("makes no call when it can't be read")
  func unreadable() async throws {
    let client = ParleyClient(configuration: .init(serverURL: "ws://127.0.0.1:1"))
    let params = UserUpdateParams()
    params.profileImage = .path("/nowhere/at/all.png")
    let error = await #expect(throws: ParleyError.self) {
      try await client.updateCurrentUser(params: params)
    }
    guard case .unreadableFile = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
