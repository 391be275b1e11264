import Channels
import FloodControl
import ParleyProtocol
import Crypto
import Store

extension GatewayServices {
  /// Reads the state of an object; `nil` when there is none or it cannot be read.
  ///
  /// Another call may change the state between this read and the call that it is for.
  ///
  /// - Parameter completion: Called once, on any thread.
  func readState(
    of object: AuditedObject, _ completion: @escaping @Sendable (AuditedValues?) -> Void
  ) {
    switch object {
    case .channel(let url):
      store.perform(ChannelLookup(url)) { result in
        completion((try? result.get()).map { AuditedValues($0.channel) })
      }
    case .channelLimits(let url):
      store.perform(ChannelLookup(url)) { [limits] result in
        completion((try? result.get()).map { limits.values(of: $0) })
      }
    case .restriction(let kind, let userID, let url):
      let lookup = RestrictionLookup(kind, of: userID, inChannel: url, at: clock.now)
      store.perform(lookup) { result in
        completion((try? result.get()).map { AuditedValues($0) })
      }
    case .user(let id):
      store.perform(AccountLookup(id)) { result in
        completion((try? result.get()).map { AuditedValues($0) })
      }
    case .counters(let url, let kind, let keys):
      store.perform(MetacounterLookup(ofChannel: url, kind)) { result in
        completion((try? result.get()).map { AuditedValues(counters: $0, among: keys) })
      }
    case .limits(let customType): completion(limits.values(customType: customType))
    case .apiToken(let id): completion(apiTokens.issued.values(ofID: id))
    case .masterKey: completion(vault.masters.map { AuditedValues(masterKeyID: $0.current.id) })
    }
  }
}

extension LimitTable {
  /// The limits of the deployment, or of channels of a custom type.
  fileprivate func values(customType: String?) -> AuditedValues {
    guard let customType else {
      return AuditedValues(flood: limit(.flood), throttle: limit(.throttle))
    }
    return AuditedValues(
      flood: limit(.flood, customType: customType),
      throttle: limit(.throttle, customType: customType))
  }

  /// The limits of a channel, from its stored state.
  fileprivate func values(of state: ChannelState) -> AuditedValues {
    let throttle =
      state.throttleOverride.map(RateLimit.init)
      ?? limit(.throttle, customType: state.channel.customType)
    return AuditedValues(flood: floodLimit(of: state), throttle: throttle)
  }
}

extension IssuedAPITokens {
  /// The token with an id, without its secret.
  fileprivate func values(ofID id: String) -> AuditedValues? {
    digest(ofID: id).flatMap { holder(of: $0) }.map { AuditedValues($0) }
  }
}
