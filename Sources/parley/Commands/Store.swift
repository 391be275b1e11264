internal import ArgumentParser
internal import Configuration
internal import ParleyProtocol
internal import Reactor
internal import Store

/// Commands for the database of a stopped gateway.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Copy or rewrite a gateway's data, or renew its channels after a restore.",
    discussion: """
      EXAMPLES:
        parley store copy --from /var/lib/parley --to postgresql://parley@db/parley
        parley store new-epochs --config /etc/parley/parley.yaml
        parley store vacuum --data-dir parley-data
      """,
    subcommands: [Copy.self, NewEpochs.self, Vacuum.self])
}

extension StoreCommand {
  /// Rewrites a SQLite database without the bytes of removed rows.
  struct Vacuum: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "vacuum",
      abstract: "Rewrite a SQLite database without the bytes of removed rows.",
      discussion: """
        Run it after an erasure, so that nothing of what was removed is left in the files of the database. \
        It needs as much free room as the database has. No server may use the directory meanwhile. Backups \
        are not changed.
        """)

    @OptionGroup var place: DataOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let data = try place.data()
      let report: StoreVacuum.Report
      do {
        report = try StoreVacuum.run(in: data.store)
      } catch {
        throw CommandFailure.refused("\(error)", code: 0)
      }
      let answer = JSONWriter.bytes {
        $0.object {
          $0.member("bytes_before", report.before)
          $0.member("bytes_after", report.after)
        }
      }
      try output.show(answer) {
        ["the database has \($0.number("bytes_after")) bytes; it had \($0.number("bytes_before"))"]
      }
    }
  }
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

    /// Copies the data outside the database, and returns descriptions of the work done.
    typealias FileWork = (_ directory: String) throws -> [String]

    /// The variable of the setting `store.url`.
    private static let variable = "PARLEY_STORE_URL"

    static let configuration = CommandConfiguration(
      commandName: "copy", abstract: "Copy the SQLite data of a gateway into PostgreSQL.",
      discussion: """
        No server may use the directory or the database meanwhile. The database must be empty. \
        Everything but sessions is copied, so that clients recover from the positions they have.

        Files of messages are copied to the directory of files.store, and the master keys of encrypted \
        files to files.master_keys, as the new settings name them: from --config and the environment. \
        Files for a bucket are not copied; the command says what to copy to where.

        A copy that fails leaves nothing in the database and can be repeated. The URL may also come \
        from PARLEY_STORE_URL: other users of the machine can read a command line.

        EXAMPLES:
          parley store copy --from /var/lib/parley --config /etc/parley/parley.yaml
        """)

    @Option(help: ArgumentHelp("The data directory to copy from.", valueName: "directory"))
    var from: String

    @Option(help: ArgumentHelp("The URL of the PostgreSQL database.", valueName: "url"))
    var to: String?

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !from.isEmpty else { throw ValidationError("the directory is empty") }
      // A settings file may name the database; it is read when the command runs.
      if settings.config == nil || to != nil { _ = try url() }
    }

    func run() throws {
      let settings = try settings.settings()
      var environment = ProcessEnvironment.variables
      if let url = settings.store.url { environment[Self.variable] = url.value }
      try run(
        in: environment, copyingFiles: StoreCopying.Beside(settings).copy(from:),
        copying: StoreCopying.copy(from:to:))
    }

    /// Copies, prints the number of rows, and reports the rest on standard error.
    ///
    /// The files are copied first, so that every file in the database exists when servers start.
    ///
    /// - Throws: `CommandFailure` with the reason of the failure, which does not name the password.
    func run(
      in environment: [String: String], copyingFiles fileWork: FileWork = { _ in [] },
      copying work: Work
    ) throws {
      let counts: [String: Int]
      do {
        let url = try url(in: environment)
        for note in try fileWork(from) { StandardError.write(note) }
        counts = try work(from, url)
      } catch {
        throw CommandFailure.refused("\(error)", code: 0)
      }
      try output.show(Self.answer(counts), as: Self.lines)
    }

    /// The URL of `--to`, or else from the environment.
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
