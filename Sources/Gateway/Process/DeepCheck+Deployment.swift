import Bus
import ClusterLoop
import Configuration
import Glibc
import PostgreSQL
import SealedFiles
import Store

/// The comparison of the deployment with this server.
extension DeepCheck {
  /// Milliseconds until a message comes back over a bus.
  private static let busPatience: Int64 = 5_000

  /// The content of the store, once it is known that it can be reached.
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

  /// The master keys of encrypted files, compared with those that the deployment has.
  ///
  /// - Parameter use: `nil` where the store cannot be read, or there is none yet.
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

  /// Whether files that messages have are where they are looked for, unless that is a bucket.
  private func storedFiles(_ ids: [String]) -> [SettingFinding] {
    let folder: String
    switch settings.files.store {
    case .dataDirectory: folder = settings.dataDirectory + "/files"
    case .directory(let path): folder = path + "/files"
    case .bucket: return []
    }
    guard !ids.isEmpty else { return [] }
    let missing = ids.filter { access(folder + "/" + $0, F_OK) != 0 && errno == ENOENT }.count
    guard missing == 0 else {
      return [
        wrong(
          "files.store",
          "\(missing) of \(ids.count) files that messages have are not in \(shown(folder)): copy them there"
        )
      ]
    }
    return [fine("files.store", "\(shown(folder)) has the files of messages")]
  }

  // MARK: The cluster

  /// Whether messages of this server come back over each Redis.
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

  /// The settings that servers of the cluster which run have otherwise.
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
      // A restart would replace it.
      return isRunningHere && difference.server == options.serverName
        ? doubtful(difference.setting, text + ", and is maybe the one of this machine")
        : wrong(difference.setting, text + ": " + remedy)
    }
  }
}
