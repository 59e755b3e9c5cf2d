//! LogicVAE itself: the place for models, training and measures, on top of `logicvae-gnn`. Nothing is here yet.
