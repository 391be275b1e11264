import Streams
import Testing

/// A client and a server that hand each other their ciphertext, sharing one scratch.
final class Conversation {
  let client: TLSSession
  let server: TLSSession
  let scratch: TLSScratch
  /// How many bytes at a time reach the other side.
  var chunk = Int.max

  private(set) var receivedByClient: [UInt8] = []
  private(set) var receivedByServer: [UInt8] = []
  private(set) var clientProgress = TLSProgress.handshaking
  private(set) var serverProgress = TLSProgress.handshaking
  private var toClient: [UInt8] = []
  private var toServer: [UInt8] = []

  init(
    client: TLSClientContext, server: TLSServerContext, hostname: String = "localhost",
    resuming resumption: TLSResumption? = nil
  ) throws {
    self.client = try TLSSession(client: client, hostname: hostname, resuming: resumption)
    self.server = try TLSSession(server: server)
    scratch = try TLSScratch()
  }

  /// Shakes hands, and carries the tickets over that come right after.
  func begin() throws {
    try client.startHandshake(scratch: scratch)
    toServer += scratch.take()
    try deliver()
  }

  func sendFromClient(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try client.send($0, scratch: scratch) }
    toServer += scratch.take()
  }

  func sendFromServer(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try server.send($0, scratch: scratch) }
    toClient += scratch.take()
  }

  func closeFromClient() throws {
    try client.close(scratch: scratch)
    toServer += scratch.take()
  }

  func closeFromServer() throws {
    try server.close(scratch: scratch)
    toClient += scratch.take()
  }

  /// Carries ciphertext to and fro until nothing is on the way.
  func deliver() throws {
    while !toServer.isEmpty || !toClient.isEmpty {
      try deliverToServer()
      try deliverToClient()
    }
  }

  func deliverToServer() throws {
    let bytes = toServer
    toServer = []
    for piece in pieces(of: bytes) {
      defer { toClient += scratch.take() }
      serverProgress = try server.receive(piece, plaintext: &receivedByServer, scratch: scratch)
    }
  }

  func deliverToClient() throws {
    let bytes = toClient
    toClient = []
    for piece in pieces(of: bytes) {
      defer { toServer += scratch.take() }
      clientProgress = try client.receive(piece, plaintext: &receivedByClient, scratch: scratch)
    }
  }

  /// Lets a middleman change what is on the way to the server.
  func tamperToServer(_ change: (inout [UInt8]) -> Void) {
    change(&toServer)
  }

  private func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: min(chunk, max(bytes.count, 1))).map {
      bytes[$0..<min($0 + min(chunk, bytes.count), bytes.count)]
    }
  }
}

extension TLSSession {
  /// Receives from an array.
  func receive(
    _ bytes: some Collection<UInt8>, plaintext: inout [UInt8], scratch: TLSScratch
  ) throws(TLSError) -> TLSProgress {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try receive(UnsafeRawBufferPointer(copy), plaintext: &plaintext, scratch: scratch)
  }
}

extension TLSScratch {
  /// Removes and returns the ciphertext to send.
  func take() -> [UInt8] {
    defer { removeOutgoing() }
    return [UInt8](outgoing)
  }
}
