internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands for the servers of a deployment.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Show and drain the servers of a deployment.",
    discussion: """
      EXAMPLES:
        parley cluster status
        parley cluster status --channel lobby
        parley cluster drain chat2.internal
      """,
    subcommands: [Status.self, Drain.self], defaultSubcommand: Status.self)
}

extension ClusterCommand {
  /// Shows the servers.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show the servers, the bus and the database.",
      discussion: """
        The list is that of the server at --server, which is marked with *. Below it, the servers \
        that have ended within the last ten minutes are counted by name: 'left' after a drain, \
        'expelled' if the process or its connection to the database had ended, 'silent' if it gave \
        no sign of life. The exit status is 1 if one was lost and no live server has its name, or \
        the bus or the database does not work.
        """)

    @Option(help: ArgumentHelp("Show the home of this channel too.", valueName: "channel url"))
    var channel: String?

    @Flag(help: "List the servers that have ended, each in a row.")
    var all = false

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let query = channel.map { "?channel_url=" + PercentEncoding.encode($0) } ?? ""
      let answer = try gateway.client().call("GET", "/v3/parley/cluster" + query)
      try output.show(answer) { all ? Self.lines($0, isEach: { _ in true }) : Self.lines($0) }
      let problems = Self.problems(try OutputOptions.root(of: answer))
      guard problems.isEmpty else {
        throw CommandFailure.refused(problems.joined(separator: "; "), code: 0)
      }
    }

    /// - Parameter isEach: Whether each stopped server has its own row.
    static func lines(
      _ cluster: JSONNode, isEach: (JSONNode) -> Bool = { _ in false }
    ) -> [String] {
      let local = cluster.text("server_id")
      let home = cluster.text("home")
      var table = TextTable([
        .text("server"), .text("name"), .text("slot"), .text("state"), .number("sessions"),
        .text("started"), .text("last beat"), .text("bus"), .text("version"),
      ])
      let servers = cluster.list("servers")
      for server in servers where server.text("state") != "dead" || isEach(server) {
        let id = server.text("server_id")
        let name = server.text("name")
        let ending = server.text("ending")
        table.add([
          id == local ? id + " *" : id, id == home ? "\(name) (home)" : name, server.number("slot"),
          ending.isEmpty ? server.text("state") : ending,
          server.number("sessions"), server.time("started_at"),
          ending.isEmpty ? "\(server.number("beat_age_ms")) ms ago" : server.time("ended_at"),
          server.isTrue("hears_bus") ? "heard" : ending.isEmpty ? "deaf" : "",
          server.text("version"),
        ])
      }
      var fields = FieldList()
      for part in ["bus", "store"] {
        guard let value = cluster[part] else { continue }
        let reason = value.text("reason")
        let state =
          value.isTrue("is_up") ? "works" : "FAILS" + (reason.isEmpty ? "" : ": " + reason)
        let kind = value.text("kind")
        fields.add(part, kind == "none" ? "none: one server" : "\(kind), \(state)")
      }
      for ended in ended(servers.filter { $0.text("state") == "dead" && !isEach($0) }) {
        fields.add("ended", ended)
      }
      return table.lines(whenEmpty: "no servers") + [""] + fields.lines()
    }

    /// Returns the stopped servers, counted by name and by the way in which they stopped.
    private static func ended(_ servers: [JSONNode]) -> [String] {
      Dictionary(grouping: servers) { $0.text("name") }.sorted { $0.key < $1.key }
        .map { name, servers in
          let endings = Dictionary(grouping: servers) { $0.text("ending") }
            .sorted { $0.key < $1.key }
            .map { ending, servers in "\(servers.count) \(ending.isEmpty ? "dead" : ending)" }
          return "\(name): \(endings.joined(separator: ", "))"
        }
    }

    /// Returns the faults that need an operator, as text.
    static func problems(_ cluster: JSONNode) -> [String] {
      let servers = cluster.list("servers")
      let live = Set(servers.filter { $0.text("state") == "live" }.map { $0.text("name") })
      // A restarted server has the same name.
      let dead = servers.filter { server in
        server.text("state") == "dead" && server.text("ending") != "left"
          && !live.contains(server.text("name"))
      }
      return dead.map {
        "\($0.text("name")) is dead" + ($0.text("ending").isEmpty ? "" : " (\($0.text("ending")))")
      }
        + ["bus", "store"].filter { cluster[$0]?.isTrue("is_up") == false }
        .map { "the \($0) does not work" }
    }
  }
}

extension ClusterCommand {
  /// Drains one server.
  struct Drain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drain", abstract: "Shut one server down gracefully.",
      discussion: """
        Its channels move to other servers, and its clients are asked to reconnect. The same \
        as SIGTERM on that machine. Without a name it is the server at --server.
        """)

    @Argument(
      help: ArgumentHelp(
        "The server: its id or its name, from 'cluster status'.", valueName: "server"))
    var server: String?

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard server != "" else { throw ValidationError("the name of the server is empty") }
    }

    func run() throws {
      let client = try gateway.client()
      let cluster = try OutputOptions.root(of: client.call("GET", "/v3/parley/cluster"))
      let chosen = try Self.choose(server, of: cluster)
      let name = DisplayText.shortened(chosen.text("name"))
      try confirmation.ask("Shut the server \(name) (\(chosen.text("server_id"))) down?")
      let id = PercentEncoding.encode(pathPart: chosen.text("server_id"))
      let answer = try client.call("POST", "/v3/parley/cluster/servers/\(id)/drain")
      try output.show(answer, as: "the server \(name) is draining")
    }

    /// Finds a server by its id, or by its name if no other has it.
    static func choose(_ wanted: String?, of cluster: JSONNode) throws -> JSONNode {
      let wanted = wanted ?? cluster.text("server_id")
      // A restarted server leaves a dead one of the same name.
      let living = cluster.list("servers").filter { $0.text("state") != "dead" }
      let found = living.filter { $0.text("server_id") == wanted || $0.text("name") == wanted }
      guard let first = found.first else {
        throw CommandFailure.refused("there is no server \(DisplayText.quoted(wanted))", code: 0)
      }
      guard found.count == 1 else {
        throw CommandFailure.refused(
          "\(found.count) servers have the name \(DisplayText.quoted(wanted)); use an id", code: 0)
      }
      return first
    }
  }
}
