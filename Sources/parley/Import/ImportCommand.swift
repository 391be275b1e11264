internal import ArgumentParser
internal import Basics
internal import ParleyProtocol
internal import Reactor

/// Imports messages from a file.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import messages of another system, or of an export.",
    discussion: """
      Each line of FILE is one message as JSON, in the form in which the Platform API shows messages: \
      channel_url, type, user, message, created_at, message_id, file, custom_type, data, mentioned_users \
      and sorted_metaarray. Lines may be in any order. Messages keep their times, and clients see them in lists \
      and searches only. Run the command again after an interruption: messages with the same message_id or \
      dedup_id are imported once into a channel.

      A line that is refused is printed with its number, the others are imported, and the exit status is 1.

      EXAMPLES:
        parley import history.ndjson --dry-run
        parley import history.ndjson --create-users --create-channels
        parley import old-lobby.ndjson --channel lobby --stop-on-error
        zcat export.json.gz | parley import -
      """)

  @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
  var file: String

  @Option(
    help: ArgumentHelp("Import all messages into this channel.", valueName: "channel"))
  var channel: String?

  @Flag(help: "Create the authors that do not exist, with their nicknames.")
  var createUsers = false

  @Flag(
    help: """
      Create the channels that do not exist: open ones, unless channel_type of a line is group_channels. \
      The authors of the first messages of a new group are its members.
      """)
  var createChannels = false

  @Flag(help: "Read the file and print the bad lines, but send nothing.")
  var dryRun = false

  @Flag(help: "Stop at the first line that cannot be imported.")
  var stopOnError = false

  @Flag(
    help:
      "In groups, mark what was sent up to the newest message of each call as read by all members.")
  var markRead = false

  @Flag(
    help:
      "In groups, set the read positions of all members back to before the oldest message of each call."
  )
  var rewindRead = false

  @OptionGroup var gateway: GatewayOptions

  func validate() throws {
    guard !markRead || !rewindRead else {
      throw ValidationError("--mark-read and --rewind-read cannot be combined")
    }
  }

  func run() throws {
    let reader: LineReader
    do { reader = try LineReader(file) } catch {
      throw CommandFailure.refused("\(error)", code: 0)
    }
    let options = MessageImporter.Options(
      createsUsers: createUsers, createsChannels: createChannels,
      readPositions: markRead ? "update_read_ts" : rewindRead ? "rewind_read_ts" : nil)
    var work = ImportWork(
      importer: dryRun ? nil : MessageImporter(try gateway.client(), options),
      stopsOnError: stopOnError)
    do {
      try work.run(reader, into: channel)
    } catch is ImportWork.Stop {}
    work.end()
    guard work.badCount == 0 else { throw ExitCode(1) }
  }
}

/// The import of a file, with its counts.
private struct ImportWork {
  /// The end after a bad line.
  struct Stop: Error {}

  /// `nil` to send nothing.
  var importer: MessageImporter?
  let stopsOnError: Bool
  private(set) var badCount = 0
  private var readCount = 0

  init(importer: MessageImporter?, stopsOnError: Bool) {
    self.importer = importer
    self.stopsOnError = stopsOnError
  }

  mutating func run(_ reader: LineReader, into channel: String?) throws {
    var batches = ImportBatches()
    var number = 0
    while let text = try reader.next() {
      number += 1
      guard text.contains(where: { $0 > 0x20 }) else { continue }
      let line: ImportedLine
      do throws(ImportedLine.Defect) {
        line = try ImportedLine(text, number: number, into: channel)
      } catch {
        try report(number, error.reason)
        continue
      }
      readCount += 1
      for batch in batches.add(line) { try send(batch) }
    }
    for batch in batches.takeAll() { try send(batch) }
  }

  private mutating func send(_ batch: [ImportedLine]) throws {
    guard var importer else { return }
    defer { self.importer = importer }
    var refusals: [(Int, String)] = []
    let stops = stopsOnError
    let result = Result {
      try importer.send(batch) {
        refusals.append(($0, $1))
        if stops { throw Stop() }
      }
    }
    for (number, reason) in refusals { note(number, reason) }
    try result.get()
    showProgress(importer.sentCount)
  }

  private mutating func report(_ number: Int, _ reason: String) throws {
    note(number, reason)
    if stopsOnError { throw Stop() }
  }

  private mutating func note(_ number: Int, _ reason: String) {
    clearProgress()
    badCount += 1
    StandardError.write("line \(number): \(reason)")
  }

  private func showProgress(_ count: Int) {
    guard Terminal.isError else { return }
    Terminal.writeError("\r\u{1b}[K\(count) messages")
  }

  private func clearProgress() {
    if Terminal.isError { Terminal.writeError("\r\u{1b}[K") }
  }

  /// Prints the counts.
  func end() {
    clearProgress()
    let count = importer?.sentCount ?? readCount
    let verb = importer == nil ? "can be sent" : "imported or known already"
    print("\(count) messages \(verb)\(badCount > 0 ? ", \(badCount) lines refused" : "")")
  }
}
