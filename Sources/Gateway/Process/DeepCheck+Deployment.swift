import Bus
import Configuration
import Glibc
import PostgreSQL
import Store
import Crypto

/// Checks of this server's settings against the deployment.
extension DeepCheck {
  /// The time to wait for a message to return over a bus, in milliseconds.
  private static let busPatience: Int64 = 5_000

  /// Checks the contents of the store, after checking that the store can be reached.
  func deployment() -> [SettingFinding] {
    do {
      let probe = try StoreProbe(StorePlace(settings))
      return masterKeys(probe?.masterKeys) + storedFiles(probe?.files ?? [])
    } catch {
      let setting = settings.store.url == nil ? "data_dir" : "store.url"
      return [wrong(setting, "\(error)")] + masterKeys(nil)
    }
  }

  // MARK: Files

  /// Compares the master keys of encrypted files with those of the deployment.
  ///
  /// - Parameter use: `nil` when the store cannot be read, or does not exist yet.
  func masterKeys(_ use: MasterKeyUse?) -> [SettingFinding] {
    guard settings.limits.fileBytes > 0 || use?.needed.isEmpty == false else { return [] }
    let source = MasterKeySource(settings)
    let sharing: StoreSharing = settings.cluster.bus == nil ? .alone : .shared
    let found: MasterKeys?
    do throws(StartError) {
      found = try source.read()
    } catch {
      return [wrong(source, .unreadable(error.description))]
    }
    guard let found else { return [missingFile(source, use, sharing)] }
    if let obstacle = use?.obstacle(to: found.proofs, sharing) {
      return [wrong(source, MasterKeyProblem(obstacle, source))]
    }
    let text =
      switch use?.registered.isEmpty {
      case nil: "holds usable keys, which are compared with no store"
      case true?: "holds usable keys"
      case false?: "holds the keys of the deployment"
      }
    return [fine(source.setting, "\(source.place) \(text)")]
  }

  private func missingFile(
    _ source: MasterKeySource, _ use: MasterKeyUse?, _ sharing: StoreSharing
  ) -> SettingFinding {
    let needed = use.map { MasterKeyring.needed($0, sharing) } ?? []
    guard needed.isEmpty else {
      return wrong(source, .missingFile(path: source.place, needed: needed))
    }
    return fine(source.setting, "\(source.place) is made at the start")
  }

  private func wrong(_ source: MasterKeySource, _ problem: MasterKeyProblem) -> SettingFinding {
    let (text, prefix) = (problem.description, source.setting + ": ")
    let isNamed = text.hasPrefix(prefix)
    return wrong(source.setting, isNamed ? String(text.dropFirst(prefix.count)) : text)
  }

  /// Checks whether files that are in messages are in the configured place.
  private func storedFiles(_ ids: [String]) -> [SettingFinding] {
    guard !ids.isEmpty else { return [] }
    switch settings.files.store {
    case .dataDirectory: return [storedFiles(ids, in: settings.dataDirectory + "/files")]
    case .directory(let path): return [storedFiles(ids, in: path + "/files")]
    case .bucket(let place):
      switch S3Probe.missingCount(of: ids, in: S3Account(place, settings.files)) {
      case .success(let count): return [storedFiles(ids, missing: count, in: "the bucket")]
      case .failure(let error):
        return [
          doubtful("files.store", "the files of messages cannot be looked for: \(error)")
        ]
      }
    }
  }

  private func storedFiles(_ ids: [String], in folder: String) -> SettingFinding {
    let missing = ids.count { access(folder + "/" + $0, F_OK) != 0 && errno == ENOENT }
    return storedFiles(ids, missing: missing, in: shown(folder))
  }

  private func storedFiles(
    _ ids: [String], missing count: Int, in place: String
  ) -> SettingFinding {
    guard count > 0 else { return fine("files.store", "\(place) has the files of messages") }
    return wrong(
      "files.store",
      "\(count) of \(ids.count) files that messages have are not in \(place): copy them there")
  }

  // MARK: The cluster

  /// Checks whether messages from this server return over each Redis.
  func bus() -> [SettingFinding] {
    guard case .redis(let urls) = settings.cluster.bus else { return [] }
    guard let inbox = Inbox(settings.cluster.name + ".check") else {
      return [wrong("cluster.name", "it cannot name inboxes")]
    }
    return urls.map { url in
      let problem = BusTrial.problem(within: Self.busPatience) { loop, handler in
        try RedisBus(
          [try RedisAddress(url.text.value)], listeningTo: [inbox], on: loop, handler: handler)
      }
      if let problem { return wrong("cluster.bus", problem) }
      return fine("cluster.bus", "a message to \(url) came back")
    }
  }

  /// Lists the settings that differ on running servers of the cluster.
  func registry() -> [SettingFinding] {
    guard settings.cluster.bus != nil, let store = settings.store.url else { return [] }
    let options = ClusterNode.options(settings, store: store.value)
    let differences: [SettingDifference]
    do throws(PostgreSQLError) {
      differences = try RegistryProbe.differences(options)
    } catch {
      return [doubtful("cluster.bus", "the servers that run cannot be listed: \(error.message)")]
    }
    guard !differences.isEmpty else {
      return [fine("cluster.bus", "no server that runs has other settings")]
    }
    let isRunningHere = DataDirectory.owner(of: settings.dataDirectory) != nil
    return differences.map { difference in
      let text = "the server \(difference.server) runs with \(difference.otherText)"
      let remedy =
        Program.gateway.changesOnReload(difference.setting)
        ? "change it on all servers, and reload them" : "stop all servers to change it"
      // A restart would replace that server.
      return isRunningHere && difference.server == options.serverName
        ? doubtful(difference.setting, text + ", and is maybe the one of this machine")
        : wrong(difference.setting, text + ": " + remedy)
    }
  }
}
