import ParleyProtocol
import Store

/// The reason why a server can neither encrypt files nor open encrypted ones.
enum MasterKeyProblem: Error, Hashable {
  /// There is no key file. The deployment needs the keys with these ids.
  case missingFile(path: String, needed: [String])
  /// The keys with these ids, which the deployment needs, are missing.
  case lacking([String], MasterKeySource)
  /// The key with this id differs from that of the deployment.
  case differing(String, MasterKeySource)
  /// The keys cannot be read.
  case unreadable(String)

  init(_ obstacle: MasterKeyObstacle, _ source: MasterKeySource) {
    self =
      switch obstacle {
      case .lacks(let ids): .lacking(ids, source)
      case .differs(let id): .differing(id, source)
      }
  }

  /// The ids of the missing keys; empty when they are unknown.
  var keyIDs: [String] {
    switch self {
    case .missingFile(_, let ids), .lacking(let ids, _): ids
    case .differing(let id, _): [id]
    case .unreadable: []
    }
  }

  /// The answer to a request that needs the keys.
  var refusal: ServiceError {
    let keys =
      keyIDs.isEmpty ? "its master keys" : "the master key \(keyIDs.joined(separator: ", "))"
    return ServiceError(
      .internalError,
      "the server does not have \(keys) of encrypted files: it can neither encrypt a file nor open an encrypted one"
    )
  }
}

extension MasterKeyProblem: CustomStringConvertible {
  /// For the operator: the setting, the problem and the remedy.
  var description: String {
    switch self {
    case .missingFile(let path, let ids) where ids.isEmpty:
      "files.master_keys: \(path) is missing"
    case .missingFile(let path, let ids):
      "files.master_keys: \(path) is missing, and the deployment needs \(Self.names(ids)): copy the file of a server that has them, or put it back from its backup"
    case .lacking(let ids, let source):
      "\(source.setting): \(source.place) lacks \(Self.names(ids)), which the deployment needs: copy the keys of a server that has them"
    case .differing(let id, let source):
      "\(source.setting): the master key \(id) of \(source.place) is not the one that files of this deployment were encrypted with"
    case .unreadable(let reason): reason
    }
  }

  private static func names(_ ids: [String]) -> String {
    (ids.count == 1 ? "the master key " : "the master keys ") + ids.joined(separator: ", ")
  }
}
