import Basics
package import Configuration
import Glibc
import HTTP
import PostgreSQL
import Reactor
import Store
import Translation

/// Tests the targets of the settings: addresses, directories, databases and services.
///
/// Nothing is changed, except that an object is put into a bucket and removed again. Attempts to reach a
/// service end after a few seconds.
package struct DeepCheck {
  /// The number of free bytes in the data directory below which a warning is given.
  private static let scarceByteCount: Int64 = 1 << 30
  /// The time limit of each connection, in seconds.
  private static let patience: Int32 = 3

  private let plan: GatewayPlan
  let settings: Settings

  package init(_ plan: GatewayPlan) {
    self.plan = plan
    settings = plan.settings
  }

  /// Tests everything, in the order of the settings.
  package func run() -> [SettingFinding] {
    files() + keySets() + plan.listening.targets.map(listener) + dataDirectory() + depot()
      + auditLog() + store() + bus() + services() + hooks()
  }

  // MARK: Files

  /// Reports the files that ``GatewayPlan`` has read already.
  ///
  /// A wrong file has ended the check earlier.
  private func files() -> [SettingFinding] {
    var findings: [SettingFinding] = []
    if plan.listening.certificate != nil {
      findings.append(fine("tls.certificate", "readable, and its key is tls.private_key"))
    }
    if let key = settings.tls.privateKey, PrivateFile.isOpenToOthers(key) {
      findings.append(
        doubtful("tls.private_key", "accessible to other users of the machine; chmod 600 closes it")
      )
    }
    if let key = settings.auth.jwtPublicKey {
      findings.append(fine("auth.jwt_public_key", "\(shown(key)) holds a usable key"))
    }
    if let list = settings.unfurl.optOutFile {
      findings.append(fine("unfurl.opt_out_file", "\(shown(list)) is readable"))
    }
    return findings
  }

  private func auditLog() -> [SettingFinding] {
    guard case .file(let path) = settings.audit.log else { return [] }
    let exists = access(path, F_OK) == 0
    guard access(exists ? path : parent(of: path), exists ? W_OK : W_OK | X_OK) == 0 else {
      return [wrong("audit.log", "\(shown(path)) cannot be written: \(lastReason())")]
    }
    return [fine("audit.log", "\(shown(path)) can be written")]
  }

  // MARK: Listeners

  private func listener(_ target: ListenPlan.Target) -> SettingFinding {
    let setting =
      switch target.purpose {
      case .plain: "listen"
      case .tls: "tls.listen"
      case .operations: "operations.listen"
      case .proxied: "proxy.listen"
      }
    do throws(SystemError) {
      let (_, sockets) = try target.open(count: 1)
      for socket in sockets { Socket.close(socket) }
      return fine(setting, "\(target.address) is free")
    } catch {
      guard error.code == EADDRINUSE else { return wrong(setting, "\(error)") }
      guard let owner = DataDirectory.owner(of: settings.dataDirectory) else {
        return wrong(setting, "\(target.address) is in use by another program")
      }
      let isOwner =
        ListeningProcess.isListening(owner, on: target.address)
        // This user may not see the sockets of the server, for example in the systemd unit.
        ?? (target.isPlain && GatewayGreeting.answers(at: target.address) ? true : nil)
      switch isOwner {
      case true?:
        return fine(
          setting, "\(target.address) is in use by the running server, process \(owner)")
      case false?:
        return wrong(setting, "\(target.address) is in use by another program")
      case nil:
        return doubtful(
          setting,
          "\(target.address) is in use by a program that this user may not see, maybe by the running server, process \(owner)"
        )
      }
    }
  }

  // MARK: The data directory

  private func dataDirectory() -> [SettingFinding] {
    let (name, path) = ("data_dir", settings.dataDirectory)
    var status = stat()
    guard stat(path, &status) == 0 else {
      var place = parent(of: path)
      while access(place, F_OK) != 0, place != "/", place != "." { place = parent(of: place) }
      guard access(place, W_OK | X_OK) == 0 else {
        return [wrong(name, "\(shown(path)) cannot be made: \(shown(place)) is not writable")]
      }
      return [fine(name, "\(shown(path)) will be made at the start")] + room(below: place)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return [wrong(name, "\(shown(path)) is not a directory")]
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      return [wrong(name, "\(shown(path)) is not writable by this user: \(lastReason())")]
    }
    var findings: [SettingFinding] = []
    if status.st_uid != geteuid() {
      findings.append(
        doubtful(
          name,
          "\(shown(path)) belongs to user \(status.st_uid), this is user \(geteuid()): check as the "
            + "user that runs the server"))
    }
    if let owner = DataDirectory.owner(of: path) {
      findings.append(
        fine(name, "\(shown(path)) is in use by the running server, process \(owner)"))
    } else {
      findings.append(fine(name, "\(shown(path)) is writable and not in use"))
    }
    return findings + foreignFiles(path) + room(below: path)
  }

  /// Finds files of a server that ran as another user, which this user cannot write.
  private func foreignFiles(_ path: String) -> [SettingFinding] {
    ["parley.sqlite", "parley.sqlite-wal", "parley.sqlite-shm", "api-token", "lock"]
      .compactMap { name in
        let file = path + "/" + name
        guard access(file, F_OK) == 0, access(file, R_OK | W_OK) != 0 else { return nil }
        return wrong("data_dir", "\(shown(file)) is not writable by this user: \(lastReason())")
      }
  }

  private func room(below path: String) -> [SettingFinding] {
    guard let room = FileSystemRoom.byteCount(below: path) else { return [] }
    let text = "\(room >> 20) MiB are free"
    return [
      room < Self.scarceByteCount ? doubtful("data_dir", text + ", little") : fine("data_dir", text)
    ]
  }

  /// Checks where files are stored, unless that is the data directory.
  private func depot() -> [SettingFinding] {
    let name = "files.store"
    switch settings.files.store {
    case .dataDirectory: return []
    case .directory(let path):
      guard access(path, R_OK | W_OK | X_OK) == 0 else {
        return [wrong(name, "\(shown(path)) is not writable by this user: \(lastReason())")]
      }
      return [fine(name, "\(shown(path)) is writable")]
    case .bucket(let place):
      guard let problem = S3Probe.problem(of: S3Account(place, settings.files)) else {
        return [fine(name, "an object was put into the bucket, read and removed")]
      }
      return [wrong(name, problem)]
    }
  }

  // MARK: Databases and services

  private func store() -> [SettingFinding] {
    guard let url = settings.store.url else { return deployment() }
    var options = PostgreSQLConnection.Options()
    options.connectTimeout = Int(Self.patience)
    do throws(PostgreSQLError) {
      let connection = try PostgreSQLConnection(url.value, options)
      _ = try connection.execute("SELECT 1")
    } catch {
      return [wrong("store.url", error.message)] + masterKeys(nil)
    }
    return [fine("store.url", "PostgreSQL answers and accepts the user")] + deployment()
      + registry()
  }

  private func services() -> [SettingFinding] {
    var services: [(setting: String, url: String)] = []
    if settings.unfurl.mode == .http, let url = settings.unfurl.url {
      services.append(("unfurl.url", url))
    }
    if settings.translation.mode != .off, let url = settings.translation.url {
      services.append(("translation.url", url))
    }
    return services.map { setting, url in
      let withoutScheme = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
      let authority = HTTPAuthority(String(withoutScheme.prefix { !"/?#".contains($0) }))
      guard let authority else { return wrong(setting, "the URL has no host") }
      let port = authority.port ?? (url.hasPrefix("https:") ? 443 : 80)
      let place = "\(authority.host.text):\(port)"
      return reach(setting, place, host: authority.host, port: port)
    }
  }

  private func reach(
    _ setting: String, _ name: String, host: Host, port: UInt16
  ) -> SettingFinding {
    do {
      try Reachability.connect(to: host, port: port, withinSeconds: Self.patience)
      return fine(setting, "\(name) accepts connections")
    } catch {
      return wrong(setting, "\(name) cannot be reached: \(error)")
    }
  }

  // MARK: Texts

  func fine(_ setting: String, _ text: String) -> SettingFinding {
    SettingFinding(.fine, setting, text)
  }

  func doubtful(_ setting: String, _ text: String) -> SettingFinding {
    SettingFinding(.doubtful, setting, text)
  }

  func wrong(_ setting: String, _ text: String) -> SettingFinding {
    SettingFinding(.wrong, setting, text)
  }

  func shown(_ path: String) -> String { DisplayText.name(path, limit: 300) }

  private func lastReason() -> String { SystemError.last("access").reason }

  private func parent(of path: String) -> String {
    var trimmed = Substring(path)
    while trimmed.last == "/", trimmed.count > 1 { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}
