internal import Dispatch
internal import Glibc
internal import Synchronization

/// Set by Ctrl-C or SIGTERM, for as long as it lives; the second ends the process at once.
final class InterruptFlag {
  /// How often the process was asked to end.
  final class Count: Sendable {
    private let value = Atomic<Int>(0)

    var isSet: Bool { value.load(ordering: .relaxed) > 0 }

    func add() {
      if value.add(1, ordering: .relaxed).newValue > 1 { exit(130) }
    }
  }

  let count = Count()
  private let sources: [any DispatchSourceSignal]

  init() {
    let queue = DispatchQueue(label: "parley.interrupt")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [count] in count.add() }
      source.resume()
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}
