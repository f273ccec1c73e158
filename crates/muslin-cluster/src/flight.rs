//! How executors serve what they answered: to each other, and to the asking program.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo,
    HandshakeRequest, HandshakeResponse, PollInfo, PutResult, SchemaResult, Ticket,
};
use ballista_core::error::BallistaError;
use ballista_core::serde::decode_protobuf;
use ballista_core::serde::scheduler::Action as Fetch;
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::flight_service::BallistaFlightService;
use futures::Stream;
use tonic::service::InterceptorLayer;
use tonic::{Request, Response, Status, Streaming};

use crate::accept::check_job;
use crate::token::Guard;

/// Serves parts of answers to those whom `guard` lets in, in messages of at most so many bytes.
pub(crate) fn server(guard: Guard, message: usize) -> Arc<ArrowFlightServerProvider> {
    Arc::new(move |folder: String, address: SocketAddr, mut end, config| {
        let answers = Answers(BallistaFlightService::new(folder));
        let service = FlightServiceServer::new(answers)
            .max_decoding_message_size(message)
            .max_encoding_message_size(message);
        let guard = guard.clone();
        tokio::spawn(async move {
            create_grpc_server(&config)
                .layer(InterceptorLayer::new(guard))
                .add_service(service)
                .serve_with_shutdown(address, end.recv())
                .await
                .map_err(BallistaError::TonicError)
        })
    })
}

/// Parts of answers, each in the folder of its query.
struct Answers(BallistaFlightService);

/// Refuses to look for an answer elsewhere than in the executor's own folder.
fn check(asked: &[u8]) -> Result<(), Status> {
    let Ok(Fetch::FetchPartition { job_id, .. }) = decode_protobuf(asked) else {
        return Err(Status::invalid_argument("no part of an answer is asked for"));
    };
    check_job(job_id.as_str()).map_err(|error| Status::permission_denied(error.to_string()))
}

fn unknown<T>() -> Result<T, Status> {
    Err(Status::unimplemented("an executor gives parts of answers, and nothing else"))
}

type Answered<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send + 'static>>;

#[tonic::async_trait]
impl FlightService for Answers {
    type DoActionStream = Answered<arrow_flight::Result>;
    type DoExchangeStream = Answered<FlightData>;
    type DoGetStream = Answered<FlightData>;
    type DoPutStream = Answered<PutResult>;
    type HandshakeStream = Answered<HandshakeResponse>;
    type ListActionsStream = Answered<ActionType>;
    type ListFlightsStream = Answered<FlightInfo>;

    async fn do_get(
        &self,
        request: Request<Ticket>,
    ) -> Result<Response<Self::DoGetStream>, Status> {
        check(&request.get_ref().ticket)?;
        self.0.do_get(request).await
    }

    async fn do_action(
        &self,
        request: Request<Action>,
    ) -> Result<Response<Self::DoActionStream>, Status> {
        check(&request.get_ref().body)?;
        self.0.do_action(request).await
    }

    async fn handshake(
        &self,
        _: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        unknown()
    }

    async fn list_flights(
        &self,
        _: Request<Criteria>,
    ) -> Result<Response<Self::ListFlightsStream>, Status> {
        unknown()
    }

    async fn get_flight_info(
        &self,
        _: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        unknown()
    }

    async fn poll_flight_info(
        &self,
        _: Request<FlightDescriptor>,
    ) -> Result<Response<PollInfo>, Status> {
        unknown()
    }

    async fn get_schema(
        &self,
        _: Request<FlightDescriptor>,
    ) -> Result<Response<SchemaResult>, Status> {
        unknown()
    }

    async fn do_put(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        unknown()
    }

    async fn do_exchange(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        unknown()
    }

    async fn list_actions(
        &self,
        _: Request<Empty>,
    ) -> Result<Response<Self::ListActionsStream>, Status> {
        unknown()
    }
}
