internal import ArgumentParser
internal import Configuration
internal import ParleyProtocol
internal import Reactor
internal import Store

/// Commands for the database of a gateway that does not run.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Copy a gateway's data, or renew its channels after a restore.",
    discussion: """
      EXAMPLES:
        parley store copy --from /var/lib/parley --to postgresql://parley@db/parley
        parley store new-epochs --config /etc/parley/parley.yaml
      """,
    subcommands: [Copy.self, NewEpochs.self])
}

extension StoreCommand {
  /// Gives the channels of a restored database new epochs.
  struct NewEpochs: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new-epochs",
      abstract: "Renew the epochs of all channels after a restore of the database.",
      discussion: """
        Run it before the first server starts with a database that pg_restore, point-in-time recovery \
        or a snapshot has brought back to an earlier state. Clients then load their channels again. \
        Without it, those that reconnect may miss messages without notice. 'parley restore' does the \
        same by itself. No server may use the database meanwhile.
        """)

    @OptionGroup var place: DataOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let data = try place.data()
      let count: Int
      do {
        count = try EpochRenewals.run(in: data.store)
      } catch {
        throw CommandFailure.refused("\(error)", code: 0)
      }
      let answer = JSONWriter.bytes { $0.object { $0.member("channels", count) } }
      try output.show(answer) { ["\($0.number("channels")) channels have new epochs"] }
    }
  }
}

extension StoreCommand {
  /// Copies a SQLite store into PostgreSQL.
  struct Copy: ParsableCommand {
    /// Copies the store of a directory into a database, and returns the number of rows of each table.
    typealias Work = (_ directory: String, _ url: String) throws -> [String: Int]

    /// The variable of the setting `store.url`.
    private static let variable = "PARLEY_STORE_URL"

    static let configuration = CommandConfiguration(
      commandName: "copy", abstract: "Copy the SQLite data of a gateway into PostgreSQL.",
      discussion: """
        No server may use the directory or the database meanwhile. The database must be empty. \
        Everything but sessions is copied, so that clients recover from the positions they have. \
        Files of messages stay where they are. A copy that fails leaves nothing behind and can be \
        repeated. The URL may also come from PARLEY_STORE_URL: other users of the machine can read a \
        command line.
        """)

    @Option(help: ArgumentHelp("The data directory to copy from.", valueName: "directory"))
    var from: String

    @Option(help: ArgumentHelp("The URL of the PostgreSQL database.", valueName: "url"))
    var to: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !from.isEmpty else { throw ValidationError("the directory is empty") }
      _ = try url()
    }

    func run() throws {
      try run(in: ProcessEnvironment.variables, copying: StoreCopying.copy(from:to:))
    }

    /// Copies, and prints the number of rows.
    ///
    /// - Throws: `CommandFailure` with the reason of the failure, which does not name the password.
    func run(in environment: [String: String], copying work: Work) throws {
      let counts: [String: Int]
      do {
        counts = try work(from, try url(in: environment))
      } catch {
        throw CommandFailure.refused("\(error)", code: 0)
      }
      try output.show(Self.answer(counts), as: Self.lines)
    }

    /// The URL of `--to`, or else of the environment.
    func url(
      in environment: [String: String] = ProcessEnvironment.variables
    ) throws -> String {
      guard let text = to ?? environment[Self.variable], !text.isEmpty else {
        throw ValidationError("give the database by --to or \(Self.variable)")
      }
      guard let url = StoreURLText.read(text) else {
        throw ValidationError(
          "expected the URL of a PostgreSQL database, such as postgresql://db.internal/parley")
      }
      return url
    }

    static func answer(_ counts: [String: Int]) -> [UInt8] {
      JSONWriter.bytes {
        $0.object {
          $0.member(
            "tables",
            array: {
              for (table, count) in counts.sorted(by: { $0.key < $1.key }) {
                $0.object {
                  $0.member("name", table)
                  $0.member("rows", count)
                }
              }
            })
        }
      }
    }

    static func lines(_ answer: JSONNode) -> [String] {
      var table = TextTable([.text("table"), .number("rows")])
      for copied in answer.list("tables") {
        table.add([copied.text("name"), copied.number("rows")])
      }
      return table.lines(whenEmpty: "nothing was copied")
    }
  }
}
