internal import Dispatch
internal import Glibc
internal import LoadGenerator
internal import Synchronization

/// Shows progress in one line of a terminal, and nothing if there is no terminal.
final class LoadProgressLine {
  private let isShown: Bool
  private var isOpen = false

  init(isShown: Bool) {
    self.isShown = isShown
  }

  func show(_ progress: LoadProgress) {
    guard isShown else { return }
    let text = DisplayWidth.fit(LiveLine.text(progress), into: Terminal.size.columns - 1)
    Terminal.write("\r\(text)\u{1b}[K")
    isOpen = true
  }

  /// Erases the line.
  func end() {
    guard isOpen else { return }
    Terminal.write("\r\u{1b}[K")
    isOpen = false
  }
}

/// A flag set by Ctrl-C or SIGTERM during its lifetime; the second signal ends the process.
final class InterruptFlag {
  /// The number of signals received.
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
