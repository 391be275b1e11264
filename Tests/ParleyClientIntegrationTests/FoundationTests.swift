import ClientFoundation
import ClientSockets
import ClientTransport
import Foundation
import ParleyClient
import TestPeers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ClientTests {
  @Suite("over Foundation")
  struct FoundationTests {
    /// A lane whose connections are sockets, and whose requests are those of `URLSession`.
    private struct MixedLane: Lane {
      let sockets: any Lane
      let foundation = FoundationLane()

      func run(_ job: @escaping @Sendable (any LaneContext) -> Void) { sockets.run(job) }

      func response(
        to request: ClientRequest, by plan: ConnectionPlan
      ) async throws(ConnectionFailure) -> ClientResponse {
        try await foundation.response(to: request, by: plan)
      }
    }

    private static func content(_ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    }

    private static func client(
      of server: ServerProcess, on lane: any Lane, _ userID: String = "ann"
    ) async throws -> ParleyClient {
      var configuration = ParleyClientConfiguration(serverURL: server.url)
      configuration.requestTimeout = .seconds(120)
      configuration.connectTimeout = .seconds(120)
      let client = ParleyClient(configuration: configuration, on: lane)
      try await client.connect(userID: userID)
      return client
    }

    private static func download(
      _ message: FileMessage, from server: ServerProcess
    ) throws -> [UInt8] {
      let path = try #require(URL(string: message.url)).path
      return try server.get(path).body
    }

    @Test("uploads files with requests of URLSession")
    func uploads() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await Self.client(of: server, on: MixedLane(sockets: try ClientLoop()))
      let lobby = try await ann.enterNewChannel()
      let bytes = Self.content(2_000_000)
      let sending = lobby.sendingFileMessage(
        params: FileMessageCreateParams(file: .bytes(bytes), message: "the plan"))
      var steps = 0
      for await _ in sending.progress { steps += 1 }
      let message = try await sending.message()
      #expect(steps > 0 && message.size == 2_000_000)
      #expect(try Self.download(message, from: server) == bytes)
      await ann.disconnect()
    }

    @Test("opens a session, where Foundation has WebSockets, or says that it has none")
    func session() async throws {
      let server = try ServerProcess(unlimited)
      do throws(ParleyError) {
        let ann = try await Self.connect(to: server)
        let lobby = try await Self.exchange(by: ann)
        #expect(lobby == "hello")
        await ann.disconnect()
      } catch {
        guard case .connectionFailed(let words) = error else { throw error }
        #expect(words.contains("WebSockets not supported by libcurl"))
      }
    }

    private static func connect(to server: ServerProcess) async throws(ParleyError) -> ParleyClient
    {
      var configuration = ParleyClientConfiguration(serverURL: server.url)
      configuration.connectTimeout = .seconds(5)
      let client = ParleyClient(configuration: configuration, on: FoundationLane())
      try await client.connect(userID: "ann")
      return client
    }

    private static func exchange(by client: ParleyClient) async throws(ParleyError) -> String {
      let channel = try await client.createOpenChannel(
        params: OpenChannelCreateParams(name: "Lobby", channelURL: "lobby"))
      try await channel.enter()
      return try await channel.sendUserMessage(params: .init(message: "hello")).message
    }

    @Test("uploads by an application's own task, after which the server sends the message")
    func backgroundUpload() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let ben = try await server.client("ben")
      _ = try await ann.enterNewChannel()
      let lobby = try await ann.openChannel(url: "lobby")
      let events = try await ben.enterChannel().events
      let bytes = Self.content(300_000)
      let path = server.directory.path(of: "plan.png")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let params = FileMessageCreateParams(file: .path(path), message: "the plan")
      params.customType = "plan"
      let created = try await lobby.createBackgroundUpload(params: params)
      #expect(created.size == 300_000 && created.channelURL == "lobby")
      let before = try await ann.uploadedFile(fileID: created.fileID)
      #expect(before.status == .waiting && before.uploadedBytes == 0 && before.messageID == nil)
      // The application was started again, and the client is not connected.
      let kept = try JSONEncoder().encode(created)
      let upload = try JSONDecoder().decode(BackgroundUpload.self, from: kept)
      #expect(upload == created)
      await ann.disconnect()
      var request = URLRequest(url: try #require(URL(string: upload.request.url)))
      request.httpMethod = upload.request.method
      request.allHTTPHeaderFields = upload.request.headerFields
      let (_, response) = try await URLSession.shared.upload(
        for: request, fromFile: URL(fileURLWithPath: path))
      #expect((response as? HTTPURLResponse)?.statusCode == 201)
      for await event in events {
        guard case .messageReceived(let message) = event else { continue }
        let file = try #require(message as? FileMessage)
        #expect(file.message == "the plan" && file.customType == "plan")
        #expect(file.name == "plan.png" && file.type == "image/png" && file.size == 300_000)
        #expect(file.fileID == upload.fileID)
        #expect(try Self.download(file, from: server) == bytes)
        let again = try await server.client("ann")
        let after = try await again.uploadedFile(fileID: upload.fileID)
        #expect(after.status == .complete && after.uploadedBytes == 300_000)
        #expect(after.messageID == file.messageID && after.messageError == nil)
        #expect(try await again.cancelUpload(fileID: upload.fileID) == false)
        break
      }
    }

    @Test("reports why the server sent no message, and cancels unfinished uploads")
    func refusedMessage() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let params = FileMessageCreateParams(file: .bytes([1, 2, 3]))
      let first = try await lobby.createBackgroundUpload(params: params)
      #expect(try await ann.cancelUpload(fileID: first.fileID))
      let second = try await lobby.createBackgroundUpload(params: params)
      try await lobby.delete()
      var request = URLRequest(url: try #require(URL(string: second.request.url)))
      request.httpMethod = second.request.method
      request.allHTTPHeaderFields = second.request.headerFields
      _ = try await URLSession.shared.upload(for: request, from: Data([1, 2, 3]))
      let file = try await ann.uploadedFile(fileID: second.fileID)
      guard case .notFound? = file.messageError else {
        Issue.record("\(file)")
        return
      }
      let atURL = FileMessageCreateParams(fileURL: "https://files.example/a.png")
      await #expect(throws: ParleyError.self) {
        _ = try await lobby.createBackgroundUpload(params: atURL)
      }
    }

    @Test("refuses a certificate of an unknown authority, and options that Linux does not offer")
    func tls() async throws {
      let directory = try TemporaryDirectory()
      let (certificate, key) = (directory.path(of: "cert.pem"), directory.path(of: "key.pem"))
      try SelfSignedCertificate.write(certificate: certificate, key: key)
      let server = try ServerProcess(
        unlimited + [
          "--tls-listen", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-private-key", key,
        ])
      let port = try #require(server.tlsPort)
      var settings = ConnectionSettings(serverURL: "wss://127.0.0.1:\(port)")
      var failure = await Self.failure(of: settings, port)
      #expect(failure?.reason.contains("certificate") == true, "\(String(describing: failure))")
      // FoundationNetworking takes neither authorities nor proxies: never is an option ignored.
      settings.tls.authorityPaths = [certificate]
      failure = await Self.failure(of: settings, port)
      #expect(failure?.kind == .lasting)
      settings.tls = TLSSettings()
      settings.proxyURL = "http://127.0.0.1:1"
      failure = await Self.failure(of: settings, port)
      #expect(failure?.kind == .lasting)
    }

    private static func failure(
      of settings: ConnectionSettings, _ port: UInt16
    ) async -> ConnectionFailure? {
      let plan = try? ConnectionPlan(settings).toRequest("https://127.0.0.1:\(port)/healthz")
      guard let plan else { return nil }
      do throws(ConnectionFailure) {
        _ = try await FoundationLane().response(to: ClientRequest("GET"), by: plan)
        return nil
      } catch {
        return error
      }
    }
  }
}
