import Basics
import Bus
import CHiredis
import Glibc
import Reactor

/// Measures how long a message takes from one bus to itself, beside the same way by hiredis alone.
///
///     bus-latency redis://127.0.0.1:6379
///     bus-latency postgresql:///parley
///
/// Prints the latency at the median and at the 99th percentile, one message under way at a time.
@main
enum BusLatency {
  static let messageCount = 20_000
  static let message = [UInt8](repeating: 0x61, count: 600)

  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: bus-latency redis://HOST:PORT | postgresql://…")
      return
    }
    let url = CommandLine.arguments[1]
    let loop = try EventLoop()
    let run = BusRun(on: loop)
    if url.hasPrefix("redis") {
      let address = try RedisAddress(url)
      run.bus = try RedisBus([address], listeningTo: [run.inbox], on: loop) { run.handle($0) }
      loop.run()
      show("bus", run.latencies)
      if let raw = RawRun(port: address.endpoint.port) { show("hiredis", raw.latencies) }
    } else {
      run.bus = try PostgreSQLBus(url, listeningTo: [run.inbox], on: loop) { run.handle($0) }
      loop.run()
      show("bus", run.latencies)
    }
  }

  private static func show(_ name: String, _ latencies: [Int64]) {
    let sorted = latencies.sorted()
    guard let last = sorted.indices.last else { return print(name, "nothing arrived") }
    print(name, "p50", sorted[last / 2] / 1000, "µs, p99", sorted[last * 99 / 100] / 1000, "µs")
  }

  /// Nanoseconds of a clock that only runs forward.
  static var now: Int64 { SystemClock.monotonicNanoseconds }
}

/// A bus that sends its next message when the last one has come back.
final class BusRun {
  let inbox: Inbox
  var bus: (any Bus)?
  private(set) var latencies: [Int64] = []
  private let loop: EventLoop
  private var sentAt: Int64 = 0

  init(on loop: EventLoop) {
    guard let inbox = Inbox("parley:latency") else { preconditionFailure() }
    self.inbox = inbox
    self.loop = loop
    loop.endOfTurn = { [unowned self] in
      bus?.flush()
      return .idle
    }
  }

  func handle(_ event: BusEvent) {
    switch event {
    case .up: send()
    case .down(let reason):
      print(reason)
      loop.stop()
    case .message:
      latencies.append(BusLatency.now - sentAt)
      if latencies.count < BusLatency.messageCount { send() } else { loop.stop() }
    }
  }

  private func send() {
    sentAt = BusLatency.now
    bus?.send(BusLatency.message, to: inbox)
  }
}

/// The same by hiredis' blocking calls on this machine.
struct RawRun {
  private(set) var latencies: [Int64] = []

  init?(port: UInt16) {
    guard let publisher = redisConnect("127.0.0.1", Int32(port)),
      let subscriber = redisConnect("127.0.0.1", Int32(port))
    else { return nil }
    defer {
      redisFree(publisher)
      redisFree(subscriber)
    }
    let channel = Array("parley:raw".utf8)
    guard Self.call(subscriber, [Array("SUBSCRIBE".utf8), channel]) else { return nil }
    for _ in 0..<BusLatency.messageCount {
      let start = BusLatency.now
      var reply: UnsafeMutableRawPointer?
      guard Self.call(publisher, [Array("PUBLISH".utf8), channel, BusLatency.message]),
        redisGetReply(subscriber, &reply) == REDIS_OK
      else { return nil }
      freeReplyObject(reply)
      latencies.append(BusLatency.now - start)
    }
  }

  private static func call(
    _ context: UnsafeMutablePointer<redisContext>, _ words: [[UInt8]]
  ) -> Bool {
    var pointers = words.map { word -> UnsafePointer<CChar>? in
      UnsafePointer(strndup(word.map { CChar(bitPattern: $0) }, word.count))
    }
    defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
    guard let reply = redisCommandArgv(context, Int32(words.count), &pointers, words.map(\.count))
    else { return false }
    freeReplyObject(reply)
    return true
  }
}
