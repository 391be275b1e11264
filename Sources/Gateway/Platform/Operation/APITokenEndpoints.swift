import Crypto
import ParleyProtocol
import Store

/// Who else may call, below `/v3/parley/api_tokens`.
extension PlatformCall {
  /// `POST`: issues a token under a name; the answer is the only place where it is told.
  func issueAPIToken() throws(ServiceError) -> Work {
    let name = try request.parameters.requiredText("name", limit: Limits.apiTokenNameLength)
    let secret = IssuedSecret()
    let token = APIToken(name: name, hash: secret.digest, createdAt: node.services.clock.now)
    let issued = node.services.apiTokens.issued
    return { reply in
      node.services.store.write {
        try $0.addAPIToken(token)
      } completion: { result in
        if case .success = result { issued.insert(token) }
        let outcome = result.mapError { error in
          error as? StoreError == .exists ? .apiTokenExists(name) : ServiceError(error)
        }
        reply(outcome.encoded { _, writer in token.encode(secret, into: &writer) })
      }
    }
  }

  /// `GET`: all that were issued, by name.
  func listAPITokens() throws(ServiceError) -> Work {
    lookUp {
      try $0.apiTokens()
    } _: { tokens, writer in
      writer.object {
        $0.member("api_tokens", array: { for token in tokens { token.encode(nil, into: &$0) } })
      }
    }
  }

  /// `DELETE …/{id}`: a call with the token is refused from then on.
  func revokeAPIToken() throws(ServiceError) -> Work {
    let id = arguments[0]
    guard id != APITokens.firstID else { throw .firstAPIToken }
    let services = node.services
    guard let digest = services.apiTokens.issued.digest(ofID: id) else {
      throw .notFound(.apiToken, id)
    }
    return { reply in
      services.store.write {
        try $0.revokeAPIToken(hash: digest.bytes)
      } completion: { result in
        if case .success = result {
          services.apiTokens.issued.remove(digest)
          services.tokenRates.forget(digest)
        }
        let outcome = result.mapError { error in
          error as? StoreError == .notFound(.token) ? .notFound(.apiToken, id) : ServiceError(error)
        }
        reply(outcome.encodedEmpty)
      }
    }
  }
}

extension APIToken {
  /// Writes what may be told of a token.
  ///
  /// - Parameter secret: The token itself, in the answer to the call that issued it.
  fileprivate func encode(_ secret: IssuedSecret?, into writer: inout JSONWriter) {
    writer.object {
      $0.member("id", id)
      $0.member("name", name)
      if let secret { $0.member("token", secret.text) }
      $0.member("created_at", createdAt)
      $0.member("last_used_at", lastUsedAt)
    }
  }
}

extension ServiceError {
  /// Who lost the last token could not come back.
  fileprivate static let firstAPIToken = ServiceError(
    .notAllowed,
    "the first API token is that of auth.api_token or of the file api-token in data_dir: "
      + "change it there and start again")
}
